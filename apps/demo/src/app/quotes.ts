import { readFile } from 'node:fs/promises'
import type { RequestLogger } from '@fw/access-log'

const FILE = new URL('quotes.txt', import.meta.url)
/** Milliseconds above which a slow read of the file is logged. */
const SLOW_MS = 2

/** Quotes from a file. Reads the file for each request, so that the demo has an asynchronous handler. */
export const quotes = {
  /** Returns a quote at random. */
  async pick(log: RequestLogger): Promise<string> {
    const started = performance.now()
    const lines = (await readFile(FILE, 'utf8')).trim().split('\n')
    const tookMs = performance.now() - started
    if (tookMs > SLOW_MS) log.warn('The quote took {} ms', Number(tookMs.toFixed(1)))
    return lines[Math.floor(Math.random() * lines.length)] ?? ''
  },
}
