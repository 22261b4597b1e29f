import { randomFillSync } from 'node:crypto'
import { showValue, withCode } from '@fw/options'
import type { Context, ContextKey } from '@fw/types'
import { throttledWarning } from '../throttled-warning.ts'

/** Matches visible ASCII without the characters that could end a bracket, a quoted string or an escape. */
const VALID = /^[!#-Z^-~]{1,128}$/

/** Returns a header value as a correlation ID; `undefined` if it is not valid. */
export function correlationId(value: string | null): string | undefined {
  return value !== null && VALID.test(value) ? value : undefined
}

/** The ID of a request, for `ctx.get()`: from `requestId()`, or generated for the access log. `null` if there is none. */
export const RequestId: ContextKey<string> = {
  name: 'RequestId',
  hint: 'add router.use(requestId()) before this route',
}

/** Returns the ID from `requestId()`, from the request field, or a generated one; `undefined` if there is none. */
export function requestIdOf(
  ctx: Context,
  options: {
    readonly correlationHeader: string
    readonly generateRequestId: ((ctx: Context) => string) | undefined
  },
): string | undefined {
  const known = ctx.get(RequestId)
  if (known !== null) return known
  const received = correlationId(ctx.headers.get(options.correlationHeader))
  if (received !== undefined || options.generateRequestId === undefined) return received
  const id = options.generateRequestId(ctx)
  ctx.set(RequestId, id)
  return id
}

/** Returns the function that generates IDs for an option; `undefined` if the option is off. */
export function requestIdGenerator(
  option: boolean | ((ctx: Context) => string) | undefined,
): ((ctx: Context) => string) | undefined {
  if (typeof option !== 'function') return option === true ? randomId : undefined
  return (ctx) => {
    try {
      const id: unknown = option(ctx)
      if (typeof id === 'string' && VALID.test(id)) return id
      throw withCode(
        'FW_INVALID_RETURN',
        new TypeError(
          'accessLog: generateRequestId must return 1 to 128 visible ASCII characters without ", [, \\ and ], ' +
            `got ${showValue(id)}. Return, for example, crypto.randomUUID().`,
        ),
      )
    } catch (error) {
      warnOfGenerator(error)
      return randomId()
    }
  }
}

const warnOfGenerator = throttledWarning('generateRequestId of accessLog threw')

const ID_BYTES = 8

/** Random bytes for the IDs of many requests, from a single system call. */
const pool = Buffer.alloc(512 * ID_BYTES)
let used = pool.length

/** Returns 16 random hexadecimal digits. */
function randomId(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += ID_BYTES
  return pool.toString('hex', used - ID_BYTES, used)
}
