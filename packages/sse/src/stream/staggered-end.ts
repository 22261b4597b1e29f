/** Streams that end at once, and pause before the next ones: 100,000 streams are ended within five seconds. */
const BATCH = 1000
const PAUSE_MS = 50

const waiting = new Set<() => void>()
let timer: NodeJS.Timeout | undefined
let room = BATCH

/**
 * Ends a stream soon: the first ones at once, the others a batch at a time, so that not all clients come back to the
 * same server in the same moment.
 *
 * @returns Takes `end` back, if it was not called yet
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
