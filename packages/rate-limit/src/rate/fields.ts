import { serializeItem } from '@fw/http-fields'
import { type Grant, nextUnitUs, type Quota, remainingUnits } from './gcra.ts'

/**
 * Returns the value of `RateLimit-Policy`. Rounds the window up to seconds, the only unit of the field.
 *
 * @see draft-ietf-httpapi-ratelimit-headers-10 §3
 *
 * @example
 * policyField('login', 10, 60_000)   // "login";q=10;w=60
 */
export function policyField(name: string, limit: number, windowMs: number): string {
  return serializeItem(name, { q: limit, w: Math.ceil(windowMs / 1000) })
}

/**
 * Returns a function that formats `RateLimit`: the remaining units, and the seconds until one more is available. Omits the
 * seconds if all units are available.
 *
 * @see draft-ietf-httpapi-ratelimit-headers-10 §4
 *
 * @example
 * limitField('login', quota)({ allowed: true, backlogUs: 18_000_000 })   // "login";r=7;t=6
 */
export function limitField(name: string, quota: Quota): (grant: Grant) => string {
  // The name is serialized only once. Both parameters are integers, which do not need a serializer.
  const item = serializeItem(name)
  return (grant) => {
    const limits = `${item};r=${remainingUnits(grant, quota)}`
    const seconds = wholeSeconds(nextUnitUs(grant, quota))
    return seconds === 0 ? limits : `${limits};t=${seconds}`
  }
}

/** Returns a time in seconds, rounded up, so that a client that waits this long is not refused again. */
export function wholeSeconds(microseconds: number): number {
  return Math.ceil(microseconds / 1_000_000)
}
