/** A rate with a burst, in whole microseconds. With fractions, rounding errors would refuse the last request of a burst. */
export interface Quota {
  /** Microseconds in which one unit returns. */
  readonly intervalUs: number
  /** Microseconds in which all units return. */
  readonly burstUs: number
}

/** The decision about one request. */
export interface Grant {
  /** Whether enough units are left for the request. If not, no units were taken. */
  readonly allowed: boolean
  /** Microseconds in which all taken units return; 0 if none are taken. */
  readonly backlogUs: number
}

/** Returns the quota of `limit` units per window. The interval is rounded up, so that the rate is never higher. */
export function quotaOf(limit: number, windowMs: number, burst: number): Quota {
  const intervalUs = Math.ceil((windowMs * 1000) / limit)
  return { intervalUs, burstUs: intervalUs * burst }
}

/**
 * Decides whether to allow a request, with the generic cell rate algorithm. The algorithm stores one number: the time at which
 * all taken units have returned.
 *
 * @param returnedUs The stored time; 0 if there is none
 * @param nowUs The current time on the same clock, in whole microseconds
 * @param cost The units that the request needs
 *
 * @example
 * decide(0, 5_000_000, { intervalUs: 1_000_000, burstUs: 3_000_000 }, 1)   // { allowed: true, backlogUs: 1_000_000 }
 */
export function decide(returnedUs: number, nowUs: number, { intervalUs, burstUs }: Quota, cost: number): Grant {
  const taken = Math.max(0, returnedUs - nowUs)
  const backlogUs = taken + cost * intervalUs
  return backlogUs <= burstUs ? { allowed: true, backlogUs } : { allowed: false, backlogUs: taken }
}

/** Returns the number of remaining units. */
export function remainingUnits({ backlogUs }: Grant, { intervalUs, burstUs }: Quota): number {
  return Math.max(0, Math.floor((burstUs - backlogUs) / intervalUs))
}

/** Returns the microseconds until one more unit is available; 0 if all are. */
export function nextUnitUs(grant: Grant, quota: Quota): number {
  if (grant.backlogUs === 0) return 0
  return grant.backlogUs - quota.burstUs + (remainingUnits(grant, quota) + 1) * quota.intervalUs
}

/** Returns the microseconds after which enough units are available for a refused request. */
export function waitUs({ backlogUs }: Grant, { intervalUs, burstUs }: Quota, cost: number): number {
  return backlogUs + cost * intervalUs - burstUs
}
