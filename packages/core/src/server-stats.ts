import { bufferLedger, type BufferStats } from './engine/budget/buffer-ledger.ts'
import type { CheckedResponses } from './app/response-checks.ts'
import type { Traffic } from './listening/traffic.ts'
import type { Limits } from './options/limits.ts'

/** Bytes that wait for clients, or for the rest of a request. */
export interface BufferedBytes extends BufferStats {
  /** The server's `limits.maxBufferedBytes`; 0 for none. */
  readonly limitBytes: number
  /** The server's `limits.maxBufferedBytesPerConnection`; 0 for none. */
  readonly connectionLimitBytes: number
}

/** Figures for a server: one group of plain numbers for each subject. */
export interface ServerStats extends Traffic {
  /** Bytes that all servers in the process hold, because they share its memory. */
  readonly buffered: BufferedBytes
  /** JSON responses from this server that `checkResponses` checked. */
  readonly responses: CheckedResponses
}

/** Returns the current figures for a server with these limits. */
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
