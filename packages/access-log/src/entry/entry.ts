import type { ProtocolText } from '@fw/types'
import type { TraceContext } from './trace-context.ts'

/** A header found on a request or a response. */
export interface CapturedHeader {
  /** As configured: a field name in any case. */
  readonly name: string
  /** Several fields of that name joined with `, `; bytes, one character each. */
  readonly value: string
}

/**
 * What is known of a finished request. Texts that came from outside are bytes, one character each, as received: they
 * are escaped where they are written.
 */
export interface Entry {
  /** `-` if it is not known, as are path and protocol. */
  readonly method: string
  readonly path: string
  /** After the first `?`; empty if there is none or it is not logged. */
  readonly query: string
  readonly status: number
  readonly durationNs: number
  /** Bytes of the response's body, without framing. */
  readonly bytes: number
  /** `undefined` if there is none, as on a Unix socket, or it is not logged. */
  readonly clientAddress: string | undefined
  readonly protocol: ProtocolText | '-'
  readonly requestHeaders: readonly CapturedHeader[]
  readonly responseHeaders: readonly CapturedHeader[]
  readonly correlationId: string | undefined
  /** `undefined` if there is none or it is not logged. */
  readonly trace: TraceContext | undefined
  readonly isSlow: boolean
  /** Whether the client went away before it had the whole response. */
  readonly isAborted: boolean
}

/** Which parts of an entry are written. */
export interface Parts {
  readonly logQuery: boolean
  readonly logClientIp: boolean
  readonly logBytes: boolean
  readonly logProtocol: boolean
}

/** `[SLOW] ` and `[ABORTED] `, where they hold: the beginning of every entry that is no JSON. */
export function tagsOf({ isSlow, isAborted }: Pick<Entry, 'isSlow' | 'isAborted'>): string {
  return `${isSlow ? '[SLOW] ' : ''}${isAborted ? '[ABORTED] ' : ''}`
}
