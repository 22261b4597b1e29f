import type { EngineHost } from '../engine/engine-host.ts'
import type { QuicConnection } from './quic/quic.ts'
import type { RequestReader } from './request-reader.ts'

/** A request until a handler sees it: somebody may want to know of one that none ever did. */
export class UnseenRequest {
  readonly #host: EngineHost
  readonly #quic: QuicConnection
  readonly #reader: RequestReader
  readonly #startMs = performance.now()
  #isReported = false

  constructor(host: EngineHost, quic: QuicConnection, reader: RequestReader) {
    this.#host = host
    this.#quic = quic
    this.#reader = reader
  }

  /** @param status Of the response to it; 0 if there was none */
  refused(status: number, reason: string): void {
    if (this.#isReported) return
    this.#isReported = true
    this.#host.onRefused({
      status,
      reason,
      protocol: 'HTTP/3.0',
      remoteAddress: this.#quic.remoteAddress,
      ...this.#reader.requestLine,
      bodyBytes: 0,
      durationMs: performance.now() - this.#startMs,
    })
  }

  /** The client has gone, or wants no response; if it had begun a head, that is told. */
  abandoned(): void {
    if (this.#reader.isWithinHead) this.refused(499, 'The client left before the end of the head')
  }
}
