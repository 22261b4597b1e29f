import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { FieldList, RequestHeaders } from '@fw/types'
import { AbortedError } from '../aborted-error.ts'
import { BaseExchange } from '../base-exchange.ts'
import { BodyRate } from '../body-rate.ts'
import type { Deadlines, Watched } from '../deadlines.ts'
import type { EngineHost } from '../engine.ts'
import { FieldListHeaders } from '../field-list-headers.ts'
import { httpDate } from '../http-date.ts'
import { ProtocolError } from '../protocol-error.ts'
import { ReceivedBody, type BodySupply } from '../received-body.ts'
import type { ResponseHead } from '../response-head.ts'
import { SlicedWriter } from '../sliced-writer.ts'
import type { Http2RequestHead } from './request-head.ts'

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
  readonly #output: SlicedWriter
  /** When more of the request must have arrived, and when the client must have taken more of the answer. */
  #inputDeadlineMs = Infinity
  #outputDeadlineMs = Infinity
  readonly #requestDeadlineMs: number
  #rate: BodyRate | undefined = undefined
  #isEnding = false
  /** Whether the whole answer was given to the stream. */
  #isSent = false

  constructor(
    stream: ServerHttp2Stream,
    head: Http2RequestHead,
    fields: FieldList,
    isBodyComplete: boolean,
    options: Http2ExchangeOptions,
  ) {
    super()
    this.#stream = stream
    this.#output = new SlicedWriter(stream)
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

    this.#requestDeadlineMs = isBodyComplete ? Infinity : this.#deadlines.in(options.host.limits.requestTimeoutMs)
    stream.on('error', ignore)
    stream.on('close', () => this.#onClosed())
    this.#deadlines.watch(this)
    if (isBodyComplete) {
      this.body.finish()
      return
    }
    const rate = new BodyRate(options.host.limits)
    this.#rate = rate
    stream.on('data', (chunk: Buffer) => {
      this.#watchBody()
      try {
        rate.add(chunk.length)
      } catch (error) {
        this.body.fail(error as ProtocolError)
      }
      this.body.push(chunk)
    })
    stream.on('trailers', (_headers: unknown, _flags: number, raw: unknown) => {
      if (Array.isArray(raw)) this.#requestTrailers = raw.map(String)
    })
    stream.on('end', () => {
      // An aborted stream ends too, but without the end of its body.
      if (stream.aborted || stream.rstCode !== 0) return
      this.#isBodyComplete = true
      this.#watchBody()
      this.body.finish(this.#requestTrailers)
    })
    this.#watchBody()
  }

  get bufferedBytes(): number {
    return this.#output.bufferedBytes
  }

  protected get isBlocked(): boolean {
    return this.#output.isBlocked
  }

  onWanted(): void {
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      if (this.status === 0 && !this.isClosed) this.#stream.additionalHeaders({ ':status': 100 })
    }
    this.#watchBody()
  }

  onFull(): void {
    this.#inputDeadlineMs = Infinity
    this.#setDeadline()
    this.#stream.pause()
  }

  onRoom(): void {
    this.#rate?.restart()
    this.#watchBody()
    this.#stream.resume()
  }

  onFault(): void {
    this.abort()
  }

  onDeadline(): void {
    if (this.#outputDeadlineMs <= performance.now()) {
      this.#stream.close(constants.NGHTTP2_CANCEL)
      return
    }
    this.#inputDeadlineMs = Infinity
    this.#setDeadline()
    this.body.fail(new ProtocolError(408, 'Request body took too long', 'stream'))
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    if (this.#isGone) return
    this.#stream.additionalHeaders({ ':status': status, ...headersObject(fields) })
  }

  protected override sendAnswer(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    if (this.#isGone) return
    const stream = this.#stream
    stream.respond(this.#responseHeaders(status, head), { endStream: body === null })
    if (body === null) return this.#finish()
    this.#beginBody()
    this.#output.write(typeof body === 'string' ? Buffer.from(body) : body)
    this.#end()
  }

  protected override sendHead(status: number, head: ResponseHead): void {
    if (this.#isGone) return
    const headers = this.#responseHeaders(status, head)
    this.#stream.respond(headers, head.allowsBody ? { waitForTrailers: true } : { endStream: true })
    if (head.allowsBody) this.#beginBody()
    // Nothing more will be sent, whatever the application still does.
    else this.#isSent = true
  }

  protected override sendData(chunk: Uint8Array): boolean {
    this.#output.write(chunk)
    if (this.isBlocked) this.#watchOutput()
    return !this.isBlocked
  }

  protected override sendEnd(trailers: FieldList): void {
    // Without trailers this is an empty DATA frame with END_STREAM.
    this.#stream.on('wantTrailers', () => {
      try {
        this.#stream.sendTrailers(headersObject(trailers))
      } catch (error) {
        this.abort(error instanceof Error ? error : undefined)
      }
    })
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

  /** Whether the client has ended the stream, which an answer may meet before anybody was told. */
  get #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed
  }

  #beginBody(): void {
    this.#stream.on('drain', this.#onDrain)
    // Node.js resets a stream whose request nobody reads as soon as all data is written, before END_STREAM is sent.
    if (this.#isBodyComplete) this.#stream.resume()
  }

  readonly #onDrain = (): void => {
    this.#output.pump()
    this.#outputDeadlineMs = Infinity
    if (this.isBlocked) this.#watchOutput()
    else if (this.#isEnding) this.#end()
    else {
      this.#setDeadline()
      this.wake()
    }
  }

  /** The application has written everything; the stream ends when it has taken it. */
  #end(): void {
    this.#isEnding = true
    if (this.isBlocked) {
      this.#watchOutput()
      return
    }
    if (!this.#stream.writableEnded) this.#stream.end()
    this.#finish()
  }

  /** The exchange is over once the client's window has let everything through. */
  #finish(): void {
    this.#isSent = true
    this.#watchOutput()
    if (this.#stream.writableFinished) this.settle(false)
    else this.#stream.once('finish', () => this.settle(false))
  }

  #onClosed(): void {
    this.#deadlines.unwatch(this)
    this.#output.clear()
    if (!this.#isBodyComplete) this.body.fail(new AbortedError('The client ended the stream'))
    this.settle(!this.#isSent || this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR)
  }

  #watchBody(): void {
    if (this.#awaitsContinue) return
    const stallMs = this.#deadlines.in(this.#host.limits.bodyStallTimeoutMs)
    this.#inputDeadlineMs = this.#isBodyComplete ? Infinity : Math.min(stallMs, this.#requestDeadlineMs)
    this.#setDeadline()
  }

  #watchOutput(): void {
    this.#outputDeadlineMs = this.#deadlines.in(this.#host.limits.writeStallTimeoutMs)
    this.#setDeadline()
  }

  #setDeadline(): void {
    this.deadlineMs = Math.min(this.#inputDeadlineMs, this.#outputDeadlineMs)
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
