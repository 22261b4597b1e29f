import type { Exchange, Refusal } from '@fw/types'
import type { Logger } from '@fw/log'
import type { Limits } from '../options/limits.ts'

/** What a protocol engine needs from the server that runs it. */
export interface EngineHost {
  readonly limits: Limits
  /** Value of the `alt-svc` field to announce, empty for none. */
  readonly altSvc: string
  /** Takes records of what happens on connections; nobody does unless given. */
  readonly logger?: Logger | undefined
  /** Takes over a request. Never throws. */
  onRequest(exchange: Exchange): void
  /** Told once for each request that the engine answered itself or gave up on. Never throws. */
  onRefused(refusal: Refusal): void
}

/** Connections of one engine that are being shut down together. */
export interface Drainable {
  /** Where its listener has it; nobody else's concern. */
  place?: number
  /** Takes no new request; ends when the running ones have been answered. */
  drain(): void
  /** Ends now, whatever is running. */
  destroy(): void
}
