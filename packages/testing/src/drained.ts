import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Resolves when the stream drains or closes. Ignores errors, because the response reports them to the test. */
export async function drained(stream: Writable): Promise<void> {
  const over = new AbortController()
  const settled = { signal: over.signal }
  const events = [once(stream, 'drain', settled), once(stream, 'close', settled)]
  await Promise.race(events).catch(() => {})
  over.abort()
  await Promise.allSettled(events)
}
