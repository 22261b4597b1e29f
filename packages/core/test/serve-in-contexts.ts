import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from '@fw/types'
import { serveEngines } from './serve-engines.ts'

/** The target of the request that is being answered. */
export const current: AsyncLocalStorage<string> = new AsyncLocalStorage<string>()

/** The beginning or the end of a request, and the context that it had. */
export interface Seen {
  readonly what: string
  readonly target: string
  readonly context: string | undefined
}

/** Serves each request in a context of its own, and notes in which contexts it begins and ends. */
export async function serveInContexts(respond: (exchange: Exchange) => void): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = []
  const { port } = await serveEngines((exchange) => {
    const { target, onClose } = exchange
    seen.push({ what: 'begin', target, context: current.getStore() })
    exchange.onClose = (outcome) => {
      seen.push({ what: 'end', target, context: current.getStore() })
      onClose?.(outcome)
    }
    current.run(target, respond, exchange)
  })
  return { port, seen }
}

/** Those that began within another request, or ended within one that is not theirs. */
export function mixedUp(seen: readonly Seen[]): Seen[] {
  return seen.filter(({ what, target, context }) => context !== undefined && (what === 'begin' || context !== target))
}
