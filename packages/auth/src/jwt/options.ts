import { KeyObject } from 'node:crypto'
import {
  checkOptions,
  func,
  integer,
  listOf,
  object,
  oneOf,
  optionError,
  type OptionKind,
  type OptionKinds,
  text,
  withFix,
} from '@fw/options'
import type { CryptoKey, JWK, JWTPayload } from 'jose'
import { COMMON_KINDS, type CommonOptions } from '../options.ts'
import type { Verified } from '../principal.ts'

/** A key that verifies signatures: a public key, or the secret of an `HS…` algorithm. */
export type VerificationKey = CryptoKey | KeyObject | JWK | Uint8Array

/** Options of `jwt()`. `issuer`, `audience`, `algorithms`, and one of `jwks` and `key` are required. */
export interface JwtOptions extends CommonOptions {
  /** Accepted values of `iss`. */
  readonly issuer: string | readonly string[]
  /** Accepted values of `aud`: the name of this server. A token for another server is rejected. */
  readonly audience: string | readonly string[]
  /** Accepted signature algorithms, such as `['RS256']`. A token cannot choose a different algorithm. */
  readonly algorithms: readonly string[]
  /** URL of the issuer's keys, with `https:`, or `http:` on a loopback address. Default none. */
  readonly jwks?: string | URL
  /** One key, instead of `jwks`. Default none. */
  readonly key?: VerificationKey
  /**
   * Required `typ` in the token's header: `at+jwt` for access tokens that follow RFC 9068. Default: `at+jwt`, `JWT` or none,
   * because many issuers do not set it.
   */
  readonly typ?: string
  /** Tolerated clock difference in seconds. Default 5. */
  readonly clockToleranceSeconds?: number
  /** Maximum length of a token in bytes. A longer token gets 400. Default 8192. */
  readonly maxTokenBytes?: number
  /** Number of verified tokens to cache, for at most ten minutes each. Verifying a signature takes about 0.2 ms. Default 0. */
  readonly maxCachedTokens?: number
  /** Time in milliseconds to wait for the keys. Default 5,000. */
  readonly timeoutMs?: number
  /** Returns the client that a verified token belongs to. Default: `sub`, with the scopes in `scope` or `scp`. */
  readonly toPrincipal?: (claims: JWTPayload) => Verified
}

const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'HS256',
  'HS384',
  'HS512',
]

const NAMES: OptionKind = {
  expected: 'a string or a list of strings',
  accepts: (value) =>
    (typeof value === 'string' && value !== '') ||
    (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && each !== '')),
}

const KINDS: OptionKinds<JwtOptions> = {
  ...COMMON_KINDS,
  issuer: withFix(NAMES, "Write the value of iss, such as 'https://login.example.org/'."),
  audience: withFix(NAMES, 'Write the name that the issuer uses for this server.'),
  algorithms: withFix(
    {
      ...listOf('a list of algorithms', oneOf(...ALGORITHMS)),
      accepts: (value) => Array.isArray(value) && value.length > 0,
    },
    "Write, for example, ['RS256'].",
  ),
  jwks: {
    expected: 'an https: URL',
    accepts: isSafeUrl,
    fix: 'With http:, an attacker on the network could replace the keys. Use https:, except for loopback addresses.',
  },
  key: { ...object, expected: 'a key' },
  typ: text,
  clockToleranceSeconds: integer(0, 300),
  maxTokenBytes: integer(1),
  maxCachedTokens: integer(0),
  timeoutMs: integer(1),
  toPrincipal: func,
}

/**
 * Checks the options of `jwt()`.
 *
 * @throws {TypeError} if an option is unknown, missing or invalid, or a shared secret is combined with `jwks`
 */
export function checkJwtOptions(options: JwtOptions): void {
  checkOptions('jwt', options, KINDS)
  for (const name of ['issuer', 'audience', 'algorithms'] as const) {
    if (options[name] !== undefined) continue
    const { expected, fix } = KINDS[name]
    throw optionError({ api: 'jwt', name, expected, got: 'undefined', fix: typeof fix === 'string' ? fix : undefined })
  }
  const { jwks, key, algorithms } = options
  if ((jwks === undefined) === (key === undefined)) {
    const got = jwks === undefined ? 'neither' : 'both'
    throw optionError({ api: 'jwt', name: 'jwks', expected: 'set if key is not', got, fix: 'Set one of jwks and key.' })
  }
  const shared = algorithms.find((name) => name.startsWith('HS'))
  if (shared !== undefined && algorithms.some((name) => !name.startsWith('HS'))) {
    // CVE-2026-22817: a public key must not serve as the secret of an HS algorithm.
    const fix = 'Keep either those with a shared secret or those with a public key.'
    throw optionError({ api: 'jwt', name: 'algorithms', expected: 'of one kind', got: `${shared} and others`, fix })
  }
  const secretBytes = key === undefined ? undefined : lengthOf(key)
  const minBytes = Math.max(0, ...algorithms.map((name) => (name.startsWith('HS') ? Number(name.slice(2)) / 8 : 0)))
  if (secretBytes !== undefined && secretBytes < minBytes) {
    // RFC 7518 §3.2: a shorter secret can be guessed from a single token.
    const fix = `Generate one: crypto.randomBytes(${minBytes}).`
    throw optionError({
      api: 'jwt',
      name: 'key',
      expected: `${minBytes} bytes or more`,
      got: `${secretBytes} bytes`,
      fix,
    })
  }
  if (shared !== undefined && jwks !== undefined) {
    throw optionError({
      api: 'jwt',
      name: 'algorithms',
      expected: 'those of public keys with jwks',
      got: shared,
      fix: 'Pass the shared secret as key.',
    })
  }
}

function isSafeUrl(value: unknown): boolean {
  const url = typeof value === 'string' || value instanceof URL ? URL.parse(String(value)) : null
  if (url === null) return false
  return (
    url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname))
  )
}

/** Returns the number of bytes of a shared secret; `undefined` for any other kind of key. */
function lengthOf(key: VerificationKey): number | undefined {
  if (key instanceof Uint8Array) return key.byteLength
  if ('k' in key && typeof key.k === 'string') return Buffer.from(key.k, 'base64url').byteLength
  if (key instanceof KeyObject) return key.symmetricKeySize
  return undefined
}
