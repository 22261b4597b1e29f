import type { ProtocolText } from './exchange.ts'

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
  /** From the first octet of the request to the answer, in milliseconds. */
  readonly durationMs: number
}
