import type { Trust } from '@fw/client-address'
import type { BodyLimits } from './body-reader.ts'
import type { DrainNotice } from './listeners.ts'

/** What a context of class `C` needs from the application it runs in. */
export interface ContextHost<C> {
  readonly limits: BodyLimits
  /** Media types that JSON readers and `body` schemas accept, unless the route names others. */
  readonly bodyTypes: readonly string[]
  /** Reports an error that no response can tell of. Never throws. */
  report(message: string, error: unknown): void
  /** Tells once of something in the program that is without effect. Never throws. */
  notice(message: string): void
  /** Which proxies are believed; `undefined` where nobody asked for any to be. */
  readonly trust: Trust | undefined
  /** When the server begins to close. */
  readonly drainNotice: DrainNotice
  /** Answers as if no route had matched. */
  notFound(context: C): unknown
}
