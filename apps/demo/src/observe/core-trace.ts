import type { Context, Outcome } from '@fw/core'
import type { RequestTimes } from './stages.ts'

/** Message on `tracing:fw.request:*`, with the properties that this program reads. */
export interface CoreTrace {
  readonly context: Context
  readonly outcome?: Outcome
  readonly timing?: {
    readonly received: number
    readonly parsed: number
    readonly routed?: number | undefined
    readonly answered?: number | undefined
    readonly flushed?: number | undefined
  }
  readonly connection?:
    | {
        readonly id: number
        readonly openedAt: number
        readonly tls?: { readonly version: string; readonly resumed: boolean; readonly handshakeMs: number } | undefined
      }
    | undefined
  readonly stream?: number | undefined
  readonly nth?: number | undefined
}

/** Times of a request, measured by core. */
export function timesOfCore({
  context,
  timing,
  connection,
  nth,
}: CoreTrace): Omit<RequestTimes, 'started' | 'finished' | 'around' | 'handler'> {
  const isFirst = nth === 1 && connection !== undefined
  return {
    ...timing,
    isQuic: context.protocol === 'HTTP/3.0',
    ...(isFirst && {
      accepted: connection.openedAt,
      handshakeMs: connection.tls?.handshakeMs,
      tlsVersion: connection.tls?.version,
    }),
  }
}

/** Returns the connection and stream of a request, such as `stream 4 of c2`. */
export function placeOf({ connection, stream }: CoreTrace): string {
  if (connection === undefined) return ''
  return stream === undefined ? `connection c${connection.id}` : `stream ${stream} of c${connection.id}`
}

/** Returns the open connections by protocol, in the order of the page; empty if core does not count them. */
export function connectionsByProtocol(stats: object): readonly number[] {
  const { connections } = stats as { connections?: Readonly<Record<string, number>> }
  if (connections === undefined) return []
  return [connections['HTTP/1.1'] ?? 0, connections['HTTP/2.0'] ?? 0, connections['HTTP/3.0'] ?? 0]
}
