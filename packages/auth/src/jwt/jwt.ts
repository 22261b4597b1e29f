import type { Middleware } from '@fw/types'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { bearer } from '../bearer.ts'
import { checkPrincipal, type Principal } from '../principal.ts'
import { checkJwtOptions, type JwtOptions, type VerificationKey } from './options.ts'
import { keysFrom } from './key-set.ts'
import { TokenCache } from './token-cache.ts'

export type { JwtOptions, VerificationKey }

/**
 * Creates middleware that requires a signed JSON Web Token in `Authorization: Bearer …`, such as an access token of OAuth 2.0
 * (RFC 9068). A token must have a valid signature, the issuer and audience of the options, `exp`, and `sub`.
 *
 * @throws {TypeError} if an option is unknown, missing or wrong
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
  const { issuer, audience, algorithms, jwks, key, realm, optional, maxTokenBytes } = options
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
    const known = cache.get(token, Date.now())
    if (known !== undefined) return known
    const claims = await claimsOf(token)
    if (claims === null) return null
    const principal = checkPrincipal('jwt', toPrincipal(claims))
    if (principal !== null) cache.set(token, principal, (claims.exp ?? 0) * 1000)
    return principal
  }

  /** Returns the claims of a token; `null` if it is not valid. */
  async function claimsOf(token: string): Promise<JWTPayload | null> {
    try {
      const verified = keys === undefined ? jwtVerify(token, keyOf(key), rules) : jwtVerify(token, keys, rules)
      return (await verified).payload
    } catch (error) {
      if (error instanceof errors.JOSEError) return null
      throw error
    }
  }
}

function keyOf(key: VerificationKey | undefined): VerificationKey {
  // `checkJwtOptions` requires a key if there is no URL of keys.
  return key as VerificationKey
}

function principalOf(claims: JWTPayload): Principal {
  return { id: String(claims.sub), scopes: scopesOf(claims), claims }
}

/** Returns the scopes: `scope` is a text with spaces (RFC 9068 §2.2.3), and some issuers send `scp`, a text or a list. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  const given = scope ?? scp
  if (typeof given === 'string') return given.split(' ').filter((each) => each !== '')
  return Array.isArray(given) ? given.filter((each) => typeof each === 'string') : []
}
