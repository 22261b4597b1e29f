import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from '@fw/types'
import type { Limits } from '../src/options/limits.ts'
import { serveEngines } from './serve-engines.ts'

/** Stores the target of the current request. */
export const current: AsyncLocalStorage<string> = new AsyncLocalStorage<string>()

/** The start or end of a request, and the context in which it was reported. */
export interface Seen {
  readonly what: string
  readonly target: string
  readonly context: string | undefined
}

/** Serves each request in its own context, and records the contexts in which it begins and ends. */
export async function serveInContexts(
  respond: (exchange: Exchange) => void,
  limits: Partial<Limits> = {},
): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = []
  const { port } = await serveEngines((exchange) => {
    const { target, onClose } = exchange
    seen.push({ what: 'begin', target, context: current.getStore() })
    exchange.onClose = (outcome) => {
      seen.push({ what: 'end', target, context: current.getStore() })
      onClose?.(outcome)
    }
    current.run(target, respond, exchange)
  }, limits)
  return { port, seen }
}

/** Returns the requests that began in any context, or ended in the context of another request. */
export function mixedUp(seen: readonly Seen[]): Seen[] {
  return seen.filter(({ what, target, context }) => context !== undefined && (what === 'begin' || context !== target))
}
