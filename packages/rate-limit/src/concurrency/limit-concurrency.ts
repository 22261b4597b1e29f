import type { Context, Middleware, Next } from '@fw/types'
import { checkedKey } from '../keys.ts'
import { jittered, quotaExceeded, respondUnavailable } from '../response/problems.ts'
import { isExempt } from '../route-option.ts'
import { type ConcurrencyOptions, type ConcurrencySettings, readConcurrencyOptions } from './options.ts'
import { Slots } from './slots.ts'

/**
 * Creates middleware that limits the number of requests in progress. Other requests wait in order of arrival. If the queue is
 * full or a request waits too long, it is refused with 503. With a `key`, it is refused with 429 and the code
 * `FW_RATE_LIMITED`.
 *
 * A request is in progress until its response is sent and its handler has ended, whichever is later.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * router.use(limitConcurrency({ maxRunning: 100 }))
 */
export function limitConcurrency(options: ConcurrencyOptions = {}): Middleware {
  const limiter = new Limiter(readConcurrencyOptions(options))
  return (ctx, next) => (isExempt(ctx) ? next() : limiter.run(ctx, next))
}

/** The key of all requests without a `key` function. */
const SHARED = ''

class Limiter {
  readonly #settings: ConcurrencySettings
  /** The slots by key. Contains only keys with requests in progress. */
  readonly #slots = new Map<string, Slots>()

  constructor(settings: ConcurrencySettings) {
    this.#settings = settings
  }

  async run(ctx: Context, next: Next): Promise<void> {
    const { key: keyOf } = this.#settings
    const key = keyOf === undefined ? SHARED : checkedKey('limitConcurrency', await keyOf(ctx))
    const slots = this.#slotsOf(key)
    if (!slots.take()) {
      const admission = await slots.wait(ctx.signal)
      // Core recognizes this error and does not send a response.
      if (admission === 'gone') throw ctx.signal.reason
      if (admission !== 'running') {
        this.#refuse(ctx)
        return
      }
    }
    // A client can abort its request immediately while the handler continues: CVE-2023-44487. A stream continues after its
    // handler.
    let holders = 2
    const release = (): void => {
      if (--holders > 0) return
      slots.release()
      if (slots.isIdle) this.#slots.delete(key)
    }
    ctx.onFinish(release)
    try {
      await next()
    } finally {
      release()
    }
  }

  #slotsOf(key: string): Slots {
    let slots = this.#slots.get(key)
    if (slots === undefined) {
      const { maxRunning, maxQueued, maxQueueMs } = this.#settings
      slots = new Slots(maxRunning, maxQueued, maxQueueMs)
      this.#slots.set(key, slots)
    }
    return slots
  }

  #refuse(ctx: Context): void {
    const { key, name, retryAfterSeconds } = this.#settings
    if (key !== undefined) throw quotaExceeded('Too many requests at the same time', name, jittered(retryAfterSeconds))
    respondUnavailable(ctx, 'Too many requests are in progress at the moment', retryAfterSeconds)
  }
}
