import type { Exchange, ProtocolText, Refusal } from '@fw/types'
import type { Logger } from '@fw/log'
import type { Limits } from '../options/limits.ts'

/** Services that the server provides to a protocol engine. */
export interface EngineHost {
  readonly limits: Limits
  /** Value of the `alt-svc` response field; empty to omit the field. */
  readonly altSvc: string
  /** Logger for connection events. Default: none. */
  readonly logger?: Logger | undefined
  /**
   * Reports whether to announce extended CONNECT (RFC 8441, RFC 9220) on a connection that opens now. Default: never.
   *
   * Browsers move WebSockets to HTTP/2 as soon as a server announces it. An application that handles only upgrades would
   * then lose them.
   */
  readonly allowsTunnels?: (() => boolean) | undefined
  /** Runs the handler of a request. Never throws. */
  onRequest(exchange: Exchange): void
  /** Reports, once, a request that the engine rejected or abandoned before a handler received it. Never throws. */
  onRefused(refusal: Refusal): void
}

/** A connection that can shut down together with the others of its listener. */
export interface Drainable {
  /** Index in the listener's `ChurnSet`. Only that set reads or writes it. */
  place?: number
  readonly protocol: ProtocolText
  /** Number of requests whose exchange has begun but not ended. */
  readonly requestsInFlight: number
  /** Accepts no new requests, and closes the connection after the responses to the current ones. */
  drain(): void
  /** Closes the connection now and aborts its requests. */
  destroy(): void
}
