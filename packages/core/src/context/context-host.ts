import { believedAddress, peerAddress, UNIX_SOCKET, type Trust } from '@fw/client-address'
import type { Exchange } from '@fw/types'
import type { BodyLimits } from './body-reader.ts'
import type { DrainNotice } from './listeners.ts'

/** Services that the application provides to a context of class `C`. */
export interface ContextHost<C> {
  readonly limits: BodyLimits
  /** Media types that JSON readers and `body` schemas accept, unless the route names others. */
  readonly bodyTypes: readonly string[]
  /** Reports an error that the response does not describe. Never throws. */
  report(message: string, error: unknown): void
  /** Reports once that a statement in the program has no effect. Never throws. */
  notice(message: string): void
  /** The proxies whose forwarding fields are trusted; `undefined` without `trustProxy`. */
  readonly trust: Trust | undefined
  /** Whether `trustProxy` names any proxies; `undefined` without `trustProxy`. */
  readonly trustsProxy: boolean | undefined
  /** Reports whether the server accepts a host; `undefined` if it accepts every host. */
  readonly allowsHost: ((authority: string) => boolean) | undefined
  /** Notifies contexts when the server starts to close. */
  readonly drainNotice: DrainNotice
  /** Responds as if no route matched. */
  notFound(context: C): unknown
}

/** Returns the client's address: the one that the proxies in `trust` report, otherwise the peer's. */
export function clientAddressOf(exchange: Exchange, trust: Trust | undefined): string | undefined {
  const { remoteAddress, isUnixSocket, headers } = exchange
  if (trust === undefined) return peerAddress(remoteAddress)
  return believedAddress(headers, isUnixSocket === true ? UNIX_SOCKET : remoteAddress, trust)
}
