import cluster from 'node:cluster'

/** Sockets per batch, and the pause between batches: 100,000 sockets close within five seconds. */
const BATCH = 1000
const PAUSE_MS = 50
/** Period over which the clients spread their new connections, in milliseconds. */
const RETRY_SPREAD_MS = 5000
const GOING_AWAY = 1001
const SERVICE_RESTART = 1012

const waiting = new Set<() => void>()
let timer: NodeJS.Timeout | undefined
let room = BATCH

/** Status code of the Close frame when the server closes. Another worker accepts new connections if this process is a worker. */
export function drainCode(): number {
  return cluster.isWorker ? SERVICE_RESTART : GOING_AWAY
}

/** Returns the reason for the Close frame when the server closes. It asks the client to wait a random time before it reconnects. */
export function drainReason(): string {
  return `retry-after=${Math.floor(Math.random() * RETRY_SPREAD_MS)}`
}

/**
 * Calls `close` immediately for the first batch of sockets and later for others, so that the clients do not all reconnect at the
 * same time.
 *
 * @returns A function that cancels the call
 */
export function closeSoon(close: () => void): () => void {
  timer ??= setInterval(closeNext, PAUSE_MS).unref()
  if (room > 0) {
    room--
    close()
    return () => {}
  }
  waiting.add(close)
  return () => void waiting.delete(close)
}

function closeNext(): void {
  room = BATCH
  if (waiting.size === 0) {
    clearInterval(timer)
    timer = undefined
    return
  }
  for (const close of waiting) {
    if (room === 0) return
    room--
    waiting.delete(close)
    close()
  }
}
