import { AsyncLocalStorage } from 'node:async_hooks'
import type { LogLine } from '../live/messages.ts'
import type { CoreTrace } from './core-trace.ts'
import type { Span } from './stages.ts'

/** A log record for a request. Its time is not yet relative to the request. */
export type TimedLine = Omit<LogLine, 'atUs'> & { readonly at: number }

/** A request in progress. */
export interface Observed {
  readonly id: string
  readonly trace: CoreTrace
  /** Time in milliseconds, from `performance.now()`. */
  readonly started: number
  /** The visitor; `demo` and `race` for the demo's clients; empty before the visitor is recognized. */
  by: string
  readonly around: Span[]
  handler: Span | undefined
  readonly logs: TimedLine[]
}

/** Maximum number of lines kept per request, so that a handler that logs in a loop cannot exhaust the memory. */
const MAX_LINES = 12

/**
 * The request to which the running code belongs, including asynchronous code that its handler started.
 *
 * An access log writes its entry after the exchange has ended, outside the handler. `finishing` covers this case.
 */
export class CurrentRequest {
  readonly store: AsyncLocalStorage<Observed> = new AsyncLocalStorage()
  finishing: Observed | undefined = undefined

  get(): Observed | undefined {
    return this.finishing ?? this.store.getStore()
  }

  /** Adds a line to the running request, if any. */
  addLine(line: Omit<TimedLine, 'at'>): void {
    const observed = this.get()
    if (observed !== undefined && observed.logs.length < MAX_LINES)
      observed.logs.push({ ...line, at: performance.now() })
  }
}
