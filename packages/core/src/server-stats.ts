import { bufferLedger, type BufferStats } from './engine/budget/buffer-ledger.ts'
import type { CheckedResponses } from './app/response-checks.ts'
import type { Traffic } from './listening/traffic.ts'
import type { Limits } from './options/limits.ts'

/** Bytes that are waiting for clients, or for the rest of a request. */
export interface BufferedBytes extends BufferStats {
  /** The server's `limits.maxBufferedBytes`; 0 for no limit. */
  readonly limitBytes: number
  /** The server's `limits.maxBufferedBytesPerConnection`; 0 for no limit. */
  readonly connectionLimitBytes: number
}

/** Statistics for a server, grouped by subject. */
export interface ServerStats extends Traffic {
  /** Bytes that all servers in the process buffer, because they share its memory. */
  readonly buffered: BufferedBytes
  /** JSON responses from this server that `checkResponses` checked. */
  readonly responses: CheckedResponses
}

/** Returns the current statistics for a server with these limits. */
export function serverStats(
  { maxBufferedBytes, maxBufferedBytesPerConnection }: Limits,
  traffic: Traffic,
  responses: CheckedResponses,
): ServerStats {
  const buffered = { ...bufferLedger.stats, limitBytes: maxBufferedBytes }
  return {
    buffered: { ...buffered, connectionLimitBytes: maxBufferedBytesPerConnection },
    responses: { ...responses },
    ...traffic,
  }
}
