import type { Context } from './context.ts'
import type { Params } from './path-params.ts'
import type { Validated } from './standard-schema.ts'
import type { ProtocolText } from './exchange.ts'

/**
 * Handles a request. It responds with its result (a string, bytes, a JSON value, a stream or a `Response`) or with the
 * context's methods.
 */
export type Handler<P extends object = Params, V extends Validated = Validated> = (ctx: Context<P, V>) => unknown

/** Runs the inner middleware and the handler. Call it at most once. Resolves when the response is prepared. */
export type Next = () => Promise<void>

/** Runs around inner middleware and handlers. */
export interface Middleware {
  /** Responds itself, or calls `next`. */
  (ctx: Context, next: Next): unknown
  /** Called for requests that the protocol engine refused before routing. */
  readonly refused?: (refusal: Refusal) => void
}

/** Responds to an error like a handler. If it neither responds nor returns a result, the outer error handler runs. */
export type ErrorHandler = (error: unknown, ctx: Context) => unknown

/**
 * A request that no handler received, because the protocol engine refused it or the client aborted it before the end of its
 * head.
 */
export interface Refusal {
  /** The status of the response; 0 without a response, 499 if the client disconnected before the end of the request head. */
  readonly status: number
  /** A description of the error. */
  readonly reason: string
  /** The protocol version of the connection. */
  readonly protocol: ProtocolText
  /** The peer's IP address; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  /** The method; `undefined` if it could not be read. */
  readonly method: string | undefined
  /** The request target; `undefined` if it could not be read. */
  readonly target: string | undefined
  /** The number of bytes in the response body. */
  readonly bodyBytes: number
  /** The milliseconds from the first byte of the request to the response. */
  readonly durationMs: number
}
