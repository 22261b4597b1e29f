import { Readable } from 'node:stream'
import type { Context } from '@fw/types'
import { BareRequest } from './bare.ts'
import { BodyReadError, NodeError } from './node-error.ts'
import { type NodeHeaders, headersDistinctOf, headersOf, rawHeadersOf } from './request-headers.ts'
import { NodeSocket } from './node-socket.ts'
import { keepMembers } from './own-members.ts'
import { attempt } from './response-output.ts'

/** Bytes that the stream buffers, besides the piece that is being read. */
const STREAM_OPTIONS = { highWaterMark: 64 * 1024 }

/**
 * The request that middleware receives: an `http.IncomingMessage` over a context. It becomes a stream on the first use as
 * one, because most middleware only reads the head.
 */
export class NodeRequest extends BareRequest {
  /** The request target. Middleware can replace it; routes and `ctx.path` do not change. */
  url: string
  /** The request target as received. */
  readonly originalUrl: string
  method: string
  readonly #ctx: Context
  readonly #watch: () => void
  readonly #keepResponse: () => void
  readonly #onDestroy: (error: Error | null) => void
  #state: unknown = undefined
  #raw: string[] | undefined = undefined
  #headers: NodeHeaders | undefined = undefined
  #socket: NodeSocket | undefined = undefined
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined = undefined
  #isComplete = false
  #isAborted = false
  /** Whether this package destroys the stream, instead of middleware. */
  #isEnding = false

  /**
   * @param watch Starts to wait for the end of the exchange, because listeners need it
   * @param keepResponse Prepares the response for a change of its prototype
   * @param onDestroy Called when middleware destroys the request before the end of its body
   */
  constructor(ctx: Context, watch: () => void, keepResponse: () => void, onDestroy: (error: Error | null) => void) {
    super()
    const { exchange } = ctx
    this.#ctx = ctx
    this.#watch = watch
    this.#keepResponse = keepResponse
    this.#onDestroy = onDestroy
    this.url = this.originalUrl = exchange.target
    this.method = exchange.method
  }

  /** The state that all methods of `Readable` use. The first access makes this object a stream. */
  get _readableState(): unknown {
    if (this.#state === undefined) {
      ;(Readable as unknown as (this: Readable, options: object) => void).call(this, STREAM_OPTIONS)
      this.#watch()
    }
    return this.#state
  }

  set _readableState(state: unknown) {
    this.#state = state
  }

  /**
   * Express sets this member immediately before it replaces the prototypes of the request and the response, and with them the
   * methods of this package.
   */
  set res(response: unknown) {
    keepMembers(this, NodeRequest.prototype)
    this.#keepResponse()
    Object.defineProperty(this, 'res', { value: response, writable: true, enumerable: true, configurable: true })
  }

  get headers(): NodeHeaders {
    return (this.#headers ??= headersOf(this.rawHeaders))
  }

  set headers(headers: NodeHeaders) {
    this.#headers = headers
  }

  get headersDistinct(): Record<string, string[]> {
    return headersDistinctOf(this.rawHeaders)
  }

  get rawHeaders(): string[] {
    return (this.#raw ??= rawHeadersOf(this.#ctx.exchange))
  }

  /** Always empty: trailer fields of requests are not passed on. */
  get trailers(): Record<string, string> {
    return {}
  }

  get trailersDistinct(): Record<string, string[]> {
    return {}
  }

  get rawTrailers(): string[] {
    return []
  }

  get httpVersion(): string {
    return this.#ctx.protocol.slice('HTTP/'.length)
  }

  get httpVersionMajor(): number {
    return Number(this.httpVersion.split('.')[0])
  }

  get httpVersionMinor(): number {
    return Number(this.httpVersion.split('.')[1])
  }

  get socket(): NodeSocket {
    return (this.#socket ??= new NodeSocket(this.#ctx.exchange, this.#watch))
  }

  get connection(): NodeSocket {
    return this.socket
  }

  get client(): NodeSocket {
    return this.socket
  }

  /** Whether the body has been read to its end. True for a request without a body. */
  get complete(): boolean {
    return this.#isComplete || this.#ctx.exchange.body.length === 0
  }

  /** Whether the client disconnected before the end of the response. */
  get aborted(): boolean {
    return this.#isAborted
  }

  /** Always false: `ctx.exchange.upgrade` takes over connections. */
  get upgrade(): boolean {
    return false
  }

  get signal(): AbortSignal {
    return this.#ctx.signal
  }

  /** Does nothing, because the limits of the server apply. */
  setTimeout(): this {
    return this
  }

  override _read(): void {
    if (this.#ctx.exchange.body.length === 0) {
      this.#end()
      return
    }
    try {
      this.#reader ??= this.#ctx.stream().getReader()
    } catch (error) {
      // The announced length exceeds the limit.
      this.#onBodyError(error)
      return
    }
    this.#reader.read().then(
      ({ done, value }) => {
        if (done) this.#end()
        else this.push(value)
      },
      (error: unknown) => this.#onBodyError(error),
    )
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.complete) {
      void this.#stopReading(error)
      if (!this.#isEnding) this.#onDestroy(error)
    }
    // Like Node.js: an aborted request without a listener must not end the process.
    callback(this.listenerCount('error') > 0 ? error : null)
  }

  /** Reports that the exchange was aborted. */
  onAbort(): void {
    this.#isAborted = this.#isEnding = true
    attempt(this.#ctx, () => this.#socket?.onAbort())
    if (this.#state === undefined) return
    attempt(this.#ctx, () => this.emit('aborted'))
    this.destroy(new NodeError('ECONNRESET', 'aborted'))
  }

  /** Reports that the response is complete, so that no more of the body is read. */
  onFinish(): void {
    this.#isEnding = true
    if (this.#state !== undefined) this.destroy()
  }

  async #stopReading(reason: Error | null): Promise<void> {
    // The stream rejects if it has failed already.
    await this.#reader?.cancel(reason ?? undefined).catch(ignore)
  }

  #onBodyError(error: unknown): void {
    this.#isEnding = true
    this.socket.onBodyError()
    this.destroy(new BodyReadError(error))
  }

  #end(): void {
    this.#isComplete = true
    this.push(null)
  }
}

function ignore(): void {}
