import type { Middleware } from '@fw/types'
import {
  errors,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose'
import { bearer } from '../bearer.ts'
import { checkPrincipal, type Principal } from '../principal.ts'
import { checkJwtOptions, type JwtOptions, type VerificationKey } from './options.ts'
import { keysFrom } from './key-set.ts'
import { TokenCache } from './token-cache.ts'

export type { JwtOptions, VerificationKey }

/** Maximum milliseconds for which a verified token is cached. */
const MAX_CACHED_MS = 600_000

/**
 * Creates middleware that requires a signed JSON Web Token in `Authorization: Bearer …`, such as an OAuth 2.0 access token. A
 * token must have a valid signature, the configured issuer and audience, `exp`, and `sub`.
 *
 * @throws {TypeError} if an option is unknown, missing or invalid
 * @throws {RangeError} if a number is out of range
 *
 * @example
 * router.use(
 *   jwt({
 *     issuer: 'https://login.example.org/',
 *     audience: 'https://api.example.org',
 *     algorithms: ['RS256'],
 *     jwks: 'https://login.example.org/.well-known/jwks.json',
 *   }),
 * )
 */
export function jwt(options: JwtOptions): Middleware {
  checkJwtOptions(options)
  const { issuer, audience, algorithms, jwks, key, typ, realm, optional, maxTokenBytes } = options
  const { clockToleranceSeconds = 5, maxCachedTokens = 0, timeoutMs = 5000, toPrincipal = principalOf } = options
  const keys = jwks === undefined ? undefined : keysFrom(new URL(jwks), timeoutMs)
  const cache = new TokenCache(maxCachedTokens)
  const rules = {
    issuer: [issuer].flat(),
    audience: [audience].flat(),
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['exp', 'sub'],
  }

  return bearer({
    verify,
    ...(realm === undefined ? {} : { realm }),
    ...(optional === undefined ? {} : { optional }),
    ...(maxTokenBytes === undefined ? {} : { maxTokenBytes }),
  })

  async function verify(token: string): Promise<Principal | null> {
    const nowMs = Date.now()
    const known = cache.get(token, nowMs)
    if (known !== undefined) return known
    const claims = await claimsOf(token)
    if (claims === null) return null
    const principal = checkPrincipal('jwt', toPrincipal(claims))
    // The issuer can revoke the signing key, so do not cache a token for longer than the keys.
    if (principal !== null) cache.set(token, principal, Math.min((claims.exp ?? 0) * 1000, nowMs + MAX_CACHED_MS))
    return principal
  }

  /** Returns the claims of a token; `null` if it is not valid. */
  async function claimsOf(token: string): Promise<JWTPayload | null> {
    try {
      const { payload, protectedHeader } = await (keys === undefined
        ? jwtVerify(token, key as VerificationKey, rules)
        : verifyWithSet(token, keys, rules))
      const hasSubject = typeof payload.sub === 'string' && payload.sub !== ''
      return hasSubject && isAccepted(protectedHeader.typ, typ) ? payload : null
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      // The algorithm of the token does not match the key.
      if (keys === undefined && error instanceof TypeError) return null
      throw error
    }
  }
}

/** Verifies a token with each matching key of a set. Without `kid`, several keys can match. */
async function verifyWithSet(token: string, keys: JWTVerifyGetKey, rules: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, rules)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, rules)
      } catch (other) {
        if (!(other instanceof errors.JWSSignatureVerificationFailed)) throw other
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/**
 * Reports whether a token of this type can be an access token. Other tokens, such as logout tokens, declare their type (RFC
 * 8725 §3.11).
 */
function isAccepted(given: string | undefined, required: string | undefined): boolean {
  const type = given?.toLowerCase().replace(/^application\//, '')
  if (required !== undefined) return type === required.toLowerCase().replace(/^application\//, '')
  return type === undefined || type === 'jwt' || type === 'at+jwt'
}

function principalOf(claims: JWTPayload): Principal {
  return { id: String(claims.sub), scopes: scopesOf(claims), claims }
}

/** Returns the scopes: `scope` is a space-separated string (RFC 9068 §2.2.3). Some issuers send `scp`, a string or an array. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp
  if (typeof given === 'string') return given.split(' ').filter((each) => each !== '')
  return Array.isArray(given) ? given.filter((each) => typeof each === 'string') : []
}
