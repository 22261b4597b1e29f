import type { Context } from './context.ts'
import type { Params } from './path-params.ts'
import type { Validated } from './standard-schema.ts'
import type { ProtocolText } from './exchange.ts'

/**
 * Answers a request by what it returns (nothing, a string, bytes, a JSON value, a stream, a `Response`) or through
 * the context's methods.
 */
export type Handler<P extends object = Params, V extends Validated = Validated> = (ctx: Context<P, V>) => unknown

/** Runs the rest of the chain; may be called once. Resolves when the response is prepared. */
export type Next = () => Promise<void>

/** Runs around the handlers: answers itself, or calls `next`. */
export interface Middleware {
  (ctx: Context, next: Next): unknown
  /** Told about requests that the protocol engine refused before any route was looked for. */
  readonly refused?: (refusal: Refusal) => void
}

/** Responses for a handler that threw, as a handler does; returning `undefined` without answering leaves it to the outer one. */
export type ErrorHandler = (error: unknown, ctx: Context) => unknown

/** A request that the protocol engine refused, or its client gave up, before any handler could see it. */
export interface Refusal {
  /** Status of the engine's answer; 0 if it closed without one, 499 if the client left before the end of its head. */
  readonly status: number
  /** What was wrong, for people. */
  readonly reason: string
  readonly protocol: ProtocolText
  readonly remoteAddress: string | undefined
  /** Method and target as far as they were understood. */
  readonly method: string | undefined
  readonly target: string | undefined
  readonly bodyBytes: number
  /** From the first byte of the request to the response, in milliseconds. */
  readonly durationMs: number
}
