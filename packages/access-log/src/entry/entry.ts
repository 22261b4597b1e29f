import type { ProtocolText } from '@fw/types'
import type { TraceContext } from './trace-context.ts'

/** A captured header of a request or a response. */
export interface CapturedHeader {
  /** The field name, capitalized as in the configuration. */
  readonly name: string
  /** The values of all fields with that name, joined by `, `; bytes, one character each. */
  readonly value: string
}

/** A finished request. Text from clients consists of the received bytes, one character each. The formats escape it. */
export interface Entry {
  /** The method; `-` if it is unknown. */
  readonly method: string
  /** The path as received; `-` if it is unknown. */
  readonly path: string
  /** The query after the first `?`; empty if there is none or it is not logged. */
  readonly query: string
  /** The response status; 499 if the client disconnected before the head. */
  readonly status: number
  /** The duration in nanoseconds. */
  readonly durationNs: number
  /** The number of response body bytes, without framing. */
  readonly bytes: number
  /** The client's IP address; `undefined` on a Unix socket, or if it is not logged. */
  readonly clientAddress: string | undefined
  /** The protocol; `-` if it is unknown. */
  readonly protocol: ProtocolText | '-'
  /** The captured headers of the request. */
  readonly requestHeaders: readonly CapturedHeader[]
  /** The captured headers of the response. */
  readonly responseHeaders: readonly CapturedHeader[]
  /** The correlation ID; `undefined` if there is none. */
  readonly correlationId: string | undefined
  /** The trace of the request; `undefined` if there is none or it is not logged. */
  readonly trace: TraceContext | undefined
  /** Whether the request took longer than the threshold. */
  readonly isSlow: boolean
  /** Whether the client disconnected before it received the whole response. */
  readonly isAborted: boolean
}

/** Selects the parts of an entry to write. */
export interface Parts {
  /** Whether entries show the query. */
  readonly logQuery: boolean
  /** Whether entries show the client's address. */
  readonly logClientIp: boolean
  /** Whether entries show the size of the response body. */
  readonly logBytes: boolean
  /** Whether entries show the protocol. */
  readonly logProtocol: boolean
}

/** Returns the beginning of an entry in every text format except Json: `[SLOW] ` and `[ABORTED] `, if they apply. */
export function tagsOf({ isSlow, isAborted }: Pick<Entry, 'isSlow' | 'isAborted'>): string {
  return `${isSlow ? '[SLOW] ' : ''}${isAborted ? '[ABORTED] ' : ''}`
}
