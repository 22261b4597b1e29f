import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { FieldList, RequestHeaders } from '@fw/types'
import { AbortedError } from '../aborted-error.ts'
import { BaseExchange } from '../base-exchange.ts'
import type { Deadlines, Watched } from '../deadlines.ts'
import type { EngineHost } from '../engine.ts'
import { FieldListHeaders } from '../field-list-headers.ts'
import { httpDate } from '../http-date.ts'
import { ProtocolError } from '../protocol-error.ts'
import { ReceivedBody, type BodySupply } from '../received-body.ts'
import type { ResponseHead } from '../response-head.ts'
import type { Http2RequestHead } from './request-head.ts'

/** Octets given to nghttp2 at once: what it holds for a client that does not read counts against the whole session. */
const SLICE_BYTES = 64 * 1024

/** What an exchange needs of the session it runs on. */
export interface Http2ExchangeOptions {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
}

/** A request and its answer on an HTTP/2 stream. */
export class Http2Exchange extends BaseExchange implements BodySupply, Watched {
  readonly protocol = 'HTTP/2.0'
  readonly scheme: 'http' | 'https'
  readonly method: string
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  readonly body: ReceivedBody
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  deadlineMs: number = Infinity

  readonly #stream: ServerHttp2Stream
  readonly #host: EngineHost
  readonly #deadlines: Deadlines
  #awaitsContinue: boolean
  #isBodyComplete: boolean
  #requestTrailers: FieldList = []
  #isWatchingWrites = false
  /** Octets to be sent when the stream has taken those before. */
  #queue: Uint8Array[] = []
  #queuedBytes = 0
  #isEnding = false

  constructor(
    stream: ServerHttp2Stream,
    head: Http2RequestHead,
    fields: FieldList,
    isBodyComplete: boolean,
    options: Http2ExchangeOptions,
  ) {
    super()
    this.#stream = stream
    this.#host = options.host
    this.#deadlines = options.deadlines
    this.scheme = options.scheme
    this.remoteAddress = options.remoteAddress
    this.remotePort = options.remotePort
    this.method = head.method
    this.target = head.target
    this.authority = head.authority
    this.headers = new FieldListHeaders(fields)
    this.#isBodyComplete = isBodyComplete
    this.#awaitsContinue = !isBodyComplete && this.headers.get('expect')?.toLowerCase() === '100-continue'
    const announced = this.headers.get('content-length')
    const length = isBodyComplete ? 0 : announced === null ? undefined : Number(announced)
    this.body = new ReceivedBody(length, options.host.limits.maxBufferedBodyBytes, this)

    stream.on('error', ignore)
    stream.on('close', () => this.#onClosed())
    if (isBodyComplete) {
      this.body.finish()
      return
    }
    this.#deadlines.watch(this)
    stream.on('data', (chunk: Buffer) => {
      this.#watchBody()
      this.body.push(chunk)
    })
    stream.on('trailers', (_headers: unknown, _flags: number, raw: unknown) => {
      if (Array.isArray(raw)) this.#requestTrailers = raw.map(String)
    })
    stream.on('end', () => {
      // An aborted stream ends too, but without the end of its body.
      if (stream.aborted || stream.rstCode !== 0) return
      this.#isBodyComplete = true
      this.deadlineMs = Infinity
      this.body.finish(this.#requestTrailers)
    })
    this.#watchBody()
  }

  get bufferedBytes(): number {
    return this.#stream.writableLength + this.#queuedBytes
  }

  protected get isBlocked(): boolean {
    return this.#stream.writableNeedDrain || this.#queuedBytes > 0
  }

  onWanted(): void {
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      if (this.status === 0 && !this.isClosed) this.#stream.additionalHeaders({ ':status': 100 })
    }
    this.#watchBody()
  }

  onFull(): void {
    this.deadlineMs = Infinity
    this.#stream.pause()
  }

  onRoom(): void {
    this.#watchBody()
    this.#stream.resume()
  }

  onDeadline(): void {
    this.body.fail(new ProtocolError(408, 'Request body took too long', 'stream'))
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    this.#stream.additionalHeaders({ ':status': status, ...headersObject(fields) })
  }

  protected override sendAnswer(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    const stream = this.#stream
    stream.respond(this.#responseHeaders(status, head), { endStream: body === null })
    if (body === null) return this.#finish()
    if (this.bodyBytes <= SLICE_BYTES) {
      stream.end(body)
      return this.#finish()
    }
    this.#beginBody()
    this.sendData(typeof body === 'string' ? Buffer.from(body) : body)
    this.#end()
  }

  protected override sendHead(status: number, head: ResponseHead): void {
    const stream = this.#stream
    const headers = this.#responseHeaders(status, head)
    if (!head.allowsBody) {
      stream.respond(headers, { endStream: true })
      return
    }
    stream.respond(headers, { waitForTrailers: true })
    this.#beginBody()
  }

  protected override sendData(chunk: Uint8Array): boolean {
    for (let at = 0; at < chunk.byteLength; at += SLICE_BYTES) {
      const slice = chunk.subarray(at, at + SLICE_BYTES)
      if (this.isBlocked) {
        this.#queue.push(slice)
        this.#queuedBytes += slice.byteLength
      } else this.#stream.write(slice)
    }
    if (this.isBlocked) this.#watchWrites()
    return !this.isBlocked
  }

  protected override sendEnd(trailers: FieldList): void {
    // Without trailers this is an empty DATA frame with END_STREAM.
    this.#stream.on('wantTrailers', () => this.#stream.sendTrailers(headersObject(trailers)))
    this.#end()
  }

  protected override sendReset(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    super.settle(aborted)
    if (this.#isBodyComplete || this.#stream.closed) return
    this.body.discard()
    // RFC 9113 §8.1: an early answer ends the request without an error, but not before the answer itself is out.
    setImmediate(() => this.#stream.close(constants.NGHTTP2_NO_ERROR))
  }

  #responseHeaders(status: number, head: ResponseHead): OutgoingHttpHeaders {
    const headers = headersObject(head.fields)
    headers[':status'] = status
    if (!head.hasDate) headers['date'] = httpDate()
    if (this.#host.altSvc !== '') headers['alt-svc'] = this.#host.altSvc
    if (head.contentLength !== undefined) headers['content-length'] = head.contentLength
    return headers
  }

  /** The body will take several writes. */
  #beginBody(): void {
    this.#stream.on('drain', this.#onDrain)
    // Node.js resets a stream whose request nobody reads as soon as all data is written, before END_STREAM is sent.
    if (this.#isBodyComplete) this.#stream.resume()
  }

  /** The stream takes more: first what is queued, then what the application writes. */
  readonly #onDrain = (): void => {
    this.#isWatchingWrites = false
    this.#stream.setTimeout(0)
    while (!this.#stream.writableNeedDrain) {
      const slice = this.#queue.shift()
      if (slice === undefined) break
      this.#queuedBytes -= slice.byteLength
      this.#stream.write(slice)
    }
    if (this.isBlocked) this.#watchWrites()
    else if (this.#isEnding) this.#end()
    else this.wake()
  }

  /** The application has written everything; the stream ends when it has taken it. */
  #end(): void {
    this.#isEnding = true
    if (this.#queuedBytes > 0) return
    if (!this.#stream.writableEnded) this.#stream.end()
    this.#finish()
  }

  /** The exchange is over once the stream has passed everything on. */
  #finish(): void {
    if (!this.isBlocked) {
      this.settle(false)
      return
    }
    this.#watchWrites()
    this.#stream.once('finish', () => this.settle(false))
  }

  readonly #onWriteStall = (): void => {
    this.#stream.close(constants.NGHTTP2_CANCEL)
  }

  #onClosed(): void {
    this.#deadlines.unwatch(this)
    this.#queue = []
    this.#queuedBytes = 0
    if (!this.#isBodyComplete) this.body.fail(new AbortedError('The client ended the stream'))
    this.settle(true)
  }

  #watchBody(): void {
    if (this.#isBodyComplete || this.#awaitsContinue) return
    this.deadlineMs = this.#deadlines.in(this.#host.limits.bodyStallTimeoutMs)
  }

  #watchWrites(): void {
    if (this.#isWatchingWrites) return
    this.#isWatchingWrites = true
    this.#stream.setTimeout(this.#host.limits.writeStallTimeoutMs)
    this.#stream.off('timeout', this.#onWriteStall).on('timeout', this.#onWriteStall)
  }
}

function headersObject(fields: FieldList): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = Object.create(null) as OutgoingHttpHeaders
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i] ?? ''
    const value = fields[i + 1] ?? ''
    const before = headers[name]
    if (before === undefined) headers[name] = value
    else headers[name] = Array.isArray(before) ? [...before, value] : [String(before), value]
  }
  return headers
}

/** A stream's `close` follows every `error` and says all that matters. */
function ignore(): void {}
