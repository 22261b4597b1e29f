import { HttpError, withCode } from '@fw/options'
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'

/** Time for which the keys of an issuer are used before they are fetched again. */
const MAX_AGE_MS = 600_000
/** Minimum time between two requests because of an unknown key, so that forged tokens cannot cause many. */
const COOLDOWN_MS = 30_000

/**
 * Returns a function that finds the key of a token in the key set of its issuer. The set is fetched with the first token, again
 * after ten minutes, and for a key that it lacks. If the issuer does not respond, the last set stays in use.
 */
export function keysFrom(url: URL, timeoutMs: number): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: MAX_AGE_MS,
  })
  let last: JWTVerifyGetKey | undefined
  return async (header, token) => {
    try {
      const key = await remote(header, token)
      const set = remote.jwks()
      if (set !== undefined) last = createLocalJWKSet(set)
      return key
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error
      if (last !== undefined) return await last(header, token)
      const message = 'The keys of the issuer cannot be fetched'
      const unavailable = withCode('FW_KEYS_UNAVAILABLE', new HttpError(503, message, { 'retry-after': '5' }))
      throw Object.assign(unavailable, { cause: error })
    }
  }
}
