/** A rate with a burst, in whole microseconds. With fractions, rounding errors would refuse the last request of a burst. */
export interface Quota {
  /** Time in which one unit returns, in microseconds. */
  readonly intervalUs: number
  /** Time in which all units return, in microseconds. */
  readonly burstUs: number
}

/** The decision about one request. */
export interface Grant {
  /** Whether the quota has the units of the request. If not, nothing was taken. */
  readonly allowed: boolean
  /** Time in which all taken units return, in microseconds; 0 if none are taken. */
  readonly backlogUs: number
}

/** Returns the quota of `limit` units per window. The interval is rounded up, so that the rate is never higher. */
export function quotaOf(limit: number, windowMs: number, burst: number): Quota {
  const intervalUs = Math.ceil((windowMs * 1000) / limit)
  return { intervalUs, burstUs: intervalUs * burst }
}

/**
 * Decides about a request with the generic cell rate algorithm, which stores one number: the time at which all taken units
 * have returned.
 *
 * @param returnedUs The stored time; 0 without one
 * @param nowUs The current time of the same clock, in whole microseconds
 * @param cost Units of the request
 *
 * @example
 * decide(0, 5_000_000, { intervalUs: 1_000_000, burstUs: 3_000_000 }, 1)   // { allowed: true, backlogUs: 1_000_000 }
 */
export function decide(returnedUs: number, nowUs: number, { intervalUs, burstUs }: Quota, cost: number): Grant {
  const taken = Math.max(0, returnedUs - nowUs)
  const backlogUs = taken + cost * intervalUs
  return backlogUs <= burstUs ? { allowed: true, backlogUs } : { allowed: false, backlogUs: taken }
}

/** Returns the number of units that are left. */
export function remainingUnits({ backlogUs }: Grant, { intervalUs, burstUs }: Quota): number {
  return Math.max(0, Math.floor((burstUs - backlogUs) / intervalUs))
}

/** Returns the time until one more unit is left, in microseconds; 0 if all are. */
export function nextUnitUs(grant: Grant, quota: Quota): number {
  if (grant.backlogUs === 0) return 0
  return grant.backlogUs - quota.burstUs + (remainingUnits(grant, quota) + 1) * quota.intervalUs
}

/** Returns the time after which a refused request has enough units, in microseconds. */
export function waitUs({ backlogUs }: Grant, { intervalUs, burstUs }: Quota, cost: number): number {
  return backlogUs + cost * intervalUs - burstUs
}
