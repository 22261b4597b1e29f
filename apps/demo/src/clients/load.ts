import { connect, type ProtocolClient } from '@fw/testing/clients'

/** Number of connections, half of them HTTP/1.1 and half HTTP/2. */
const CLIENTS = 8
/** Milliseconds between two requests from a client. Eight clients send about 160 requests per second. */
const PAUSE_MS = 50
/** Milliseconds between two reports. */
const REPORT_MS = 200

/** Numbers of requests to the fleet that were answered and that failed. */
export interface LoadProgress {
  readonly answered: number
  readonly failed: number
}

/**
 * Steady load on the four processes. A request counts as failed unless it gets a complete response with status 200. A request
 * is retried only if the server refused it before processing, as HTTP/2 allows (RFC 9113 §8.7).
 */
export class Load {
  readonly #port: number
  readonly #timers: NodeJS.Timeout[]
  #answered = 0
  #failed = 0

  constructor(port: number, onProgress: (progress: LoadProgress) => void) {
    this.#port = port
    this.#timers = Array.from({ length: CLIENTS }, (_, n) => this.#client(n % 2 === 0 ? 'h1' : 'h2c'))
    const report = setInterval(() => onProgress({ answered: this.#answered, failed: this.#failed }), REPORT_MS)
    this.#timers.push(report)
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer)
  }

  #client(protocol: 'h1' | 'h2c'): NodeJS.Timeout {
    let client: Promise<ProtocolClient> | undefined
    let isRunning = false
    const ask = async (): Promise<void> => {
      isRunning = true
      try {
        client ??= connect(protocol, { port: this.#port })
        const response = await (await client).request({ path: '/' })
        await response.bytes()
        if (response.status === 200) this.#answered++
        else this.#failed++
        // A draining process sends `connection: close`, so the next request opens another connection.
        if (response.headers.get('connection') === 'close') client = undefined
      } catch (error) {
        if (!isRefusedUnseen(error)) this.#failed++
        client = undefined
      } finally {
        isRunning = false
      }
    }
    return setInterval(() => void (isRunning || ask()), PAUSE_MS)
  }
}

function isRefusedUnseen(error: unknown): boolean {
  return error instanceof Error && error.message.includes('REFUSED_STREAM')
}
