import { createHash } from 'node:crypto'
import type { Grant, Quota } from '../rate/gcra.ts'

/**
 * Script that decides like `decide()` whether to allow a request, in one atomic step. It uses the Redis clock, because
 * the clocks of several processes differ. It formats numbers with `%.0f`, because Lua's `tostring` keeps only 14
 * digits, but microseconds since 1970 have 16.
 *
 * After a change to a shorter limit, or if the clock was set back, a key can have more taken units than a burst. The script
 * reduces them to one burst; otherwise, the client would remain refused.
 *
 * KEYS: the key. ARGV: the interval and the burst in microseconds, and the cost in units.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local burst = tonumber(ARGV[2])
local taken = math.max((tonumber(redis.call('GET', KEYS[1]) or 0) or 0) - now, 0)
local isCut = taken > burst
if isCut then taken = burst end
local backlog = taken + ARGV[1] * ARGV[3]
local allowed = backlog <= burst
if not allowed then backlog = taken end
if backlog > 0 and (isCut or (allowed and tonumber(ARGV[3]) > 0)) then
  redis.call('SET', KEYS[1], string.format('%.0f', now + backlog), 'PX', string.format('%.0f', math.ceil(backlog / 1000)))
end
return { allowed and 1 or 0, string.format('%.0f', backlog) }`

const DIGEST = createHash('sha1').update(SCRIPT).digest('hex')

/**
 * Returns the command that takes units.
 *
 * @param whole Whether to send the script itself, for a Redis server that does not have it
 */
export function takeCommand(key: string, { intervalUs, burstUs }: Quota, cost: number, whole: boolean): string[] {
  const script = whole ? ['EVAL', SCRIPT] : ['EVALSHA', DIGEST]
  return [...script, '1', key, String(intervalUs), String(burstUs), String(cost)]
}

/** Reports whether Redis does not have the script, because it was restarted or its scripts were deleted. */
export function isMissingScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

/** Reads the reply to the command. For any other reply, `backlogUs` is `NaN`, which `rateLimit()` treats as a failure. */
export function grantOf(reply: unknown): Grant {
  const [allowed, backlog] = Array.isArray(reply) ? (reply as readonly unknown[]) : []
  return { allowed: Number(allowed) === 1, backlogUs: Number(backlog) }
}
