/** Streams per batch, and the pause between batches: 100,000 streams end within five seconds. */
const BATCH = 1000
const PAUSE_MS = 50

const waiting = new Set<() => void>()
let timer: NodeJS.Timeout | undefined
let room = BATCH

/**
 * Calls `end` immediately for the first batch of streams and later for further batches, so that the clients do not all
 * reconnect at the same time.
 *
 * @returns A function that cancels the call
 */
export function endSoon(end: () => void): () => void {
  timer ??= setInterval(endNext, PAUSE_MS).unref()
  if (room > 0) {
    room--
    end()
    return () => {}
  }
  waiting.add(end)
  return () => void waiting.delete(end)
}

function endNext(): void {
  room = BATCH
  if (waiting.size === 0) {
    clearInterval(timer)
    timer = undefined
    return
  }
  for (const end of waiting) {
    if (room === 0) return
    room--
    waiting.delete(end)
    end()
  }
}
