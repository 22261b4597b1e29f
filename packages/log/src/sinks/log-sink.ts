import { objectWith, type OptionKind } from '@fw/options'
import type { Sink } from '@fw/types'
import type { QueueSettings } from '../async/queued-writer.ts'
import type { PlainCall } from '../lines/plain-call.ts'

/** The key for a sink's abilities. All copies of this package in one process share it. */
export const sinkAbilities: unique symbol = Symbol.for('@fw/log: sink abilities')

/** Optional abilities of a sink, beyond the interface `Sink`. Loggers read them once, when the sink is added. */
export interface SinkAbilities {
  /**
   * False if the sink never reads `location`. If it is false for all sinks, loggers do not look up the caller. Default: true.
   */
  readonly usesLocation?: boolean
  /** Returns the number of accepted records that are not yet written. Default: 0. */
  queued?(): number
  /**
   * Starts a writer thread for later lines, or ends the thread if `settings` is `undefined`. Loggers call it when asynchronous
   * mode starts and ends. A sink without this method receives records on the caller's thread in both modes.
   */
  useQueue?(settings: QueueSettings | undefined): void
  /**
   * Accepts a call that needs no record. Loggers use it instead of `write` if all their sinks implement it.
   *
   * @returns False if the call was dropped
   */
  readonly writeCall?: ((call: PlainCall) => boolean) | undefined
}

/** A sink that can declare abilities. */
export type LogSink = Sink & { readonly [sinkAbilities]?: SinkAbilities }

/** Sets a sink's abilities. With isolated declarations, a class cannot have a member with this symbol as its name. */
export function declareAbilities(sink: Sink, abilities: SinkAbilities): void {
  Object.assign(sink, { [sinkAbilities]: abilities })
}

const METHODS = ['write', 'flush', 'close'] as const

/** Accepts objects with the methods of `Sink`. */
export const sinkKind: OptionKind = {
  ...objectWith('a sink with write(), flush() and close()', ...METHODS),
  fix: fixSink,
}

/** Returns the sentence that explains how to turn a refused value into a sink. */
export function fixSink(value: unknown): string {
  if (typeof value !== 'object' || value === null) return 'Use a sink such as new ConsoleSink().'
  const missing = METHODS.find((name) => typeof (value as Partial<Sink>)[name] !== 'function')
  return `Add the method ${missing}().`
}
