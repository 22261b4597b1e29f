import { CLIENT_LEFT } from '../engine/errors.ts'
import type { EngineHost } from '../engine/engine-host.ts'
import type { QuicConnection } from './quic/quic.ts'
import type { RequestReader } from './request-reader.ts'

/**
 * Reports a request that is refused or aborted before a handler receives it. Such requests would otherwise be missing
 * from access logs.
 */
export class UnseenRequest {
  readonly #host: EngineHost
  readonly #quic: QuicConnection
  readonly #reader: RequestReader
  /** Time of the first bytes of the request. */
  readonly startMs: number = performance.now()
  #isReported = false

  constructor(host: EngineHost, quic: QuicConnection, reader: RequestReader) {
    this.#host = host
    this.#quic = quic
    this.#reader = reader
  }

  /**
   * Reports a refused request, once.
   *
   * @param status Status of the response; 0 without a response
   */
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
      durationMs: performance.now() - this.startMs,
    })
  }

  /** Reports a request that the client aborted within its head. */
  abandoned(): void {
    if (this.#reader.isWithinHead) this.refused(CLIENT_LEFT, 'The client disconnected before the end of the head')
  }
}
