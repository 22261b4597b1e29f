import { constants, type ServerHttp2Stream } from 'node:http2'
import type { FieldList, RequestHeaders } from '@fw/types'
import { AbortedError } from '../aborted-error.ts'
import { BaseExchange } from '../base-exchange.ts'
import { BodyRate } from '../body-rate.ts'
import type { Deadlines } from '../deadlines.ts'
import type { EngineHost } from '../engine.ts'
import { FieldListHeaders } from '../field-list-headers.ts'
import { ProtocolError } from '../protocol-error.ts'
import { ReceivedBody, type BodySupply } from '../received-body.ts'
import type { ResponseHead } from '../response-head.ts'
import { SlicedWriter } from '../sliced-writer.ts'
import { answerFields, fieldsObject } from './answer-fields.ts'
import type { Http2RequestHead } from './request-head.ts'
import type { SocketProgress } from './socket-progress.ts'

/** What an exchange needs of the session it runs on. */
export interface StreamOwner {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly progress: SocketProgress
  /** Calls `onDeadline` once `deadlineMs` has passed, until the exchange is let go of. */
  watch(exchange: Http2Exchange): void
  /** The exchange has another deadline. */
  onDeadlineSet(deadlineMs: number): void
  /** Told once for each exchange. */
  onStreamClosed(exchange: Http2Exchange): void
  /** Ends the session with all its streams. */
  destroy(): void
}

/** Answers up to this size are one write; larger ones are sent as the client takes them. */
const MAX_SINGLE_WRITE_BYTES = 64 * 1024
/**
 * Writes of the session that are seen to begin while a stream waits: the first may be from before, the second has taken
 * what the stream had if its window let it, and has been done when the third began.
 */
const WRITES_OF_OTHERS = 3
const END_STREAM = { endStream: true }
const BEFORE_TRAILERS = { waitForTrailers: true }

/** A request and its answer on an HTTP/2 stream. */
export class Http2Exchange extends BaseExchange implements BodySupply {
  readonly protocol = 'HTTP/2.0'
  readonly method: string
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  /** When `onDeadline` is due. */
  deadlineMs: number = Infinity
  /** Where the session keeps the exchange. */
  slot = -1

  readonly #stream: ServerHttp2Stream
  readonly #owner: StreamOwner
  #body: ReceivedBody | undefined = undefined
  #awaitsContinue = false
  #isBodyComplete: boolean
  #requestTrailers: FieldList = []
  /** For answers in several writes. */
  #output: SlicedWriter | undefined = undefined
  /** When more of the request must have arrived, and when the client must have taken more of the answer. */
  #inputDeadlineMs = Infinity
  #outputDeadlineMs = Infinity
  #requestDeadlineMs = Infinity
  #rate: BodyRate | undefined = undefined
  /** Writes of the session when the client was last seen to take something. */
  #writesBefore = 0
  /** Whether the client took too long, and the stream is being reset for it. */
  #isGivenUp = false
  #isEnding = false
  /** Whether the whole answer was given to the stream. */
  #isSent = false

  constructor(
    stream: ServerHttp2Stream,
    head: Http2RequestHead,
    fields: FieldList,
    isBodyComplete: boolean,
    owner: StreamOwner,
  ) {
    super()
    this.#stream = stream
    this.#owner = owner
    this.method = head.method
    this.target = head.target
    this.authority = head.authority
    this.headers = new FieldListHeaders(fields)
    this.#isBodyComplete = isBodyComplete
    stream.on('error', ignore)
    stream.on('close', () => this.#onClosed())
    owner.watch(this)
    if (!isBodyComplete) this.#receive()
  }

  get scheme(): 'http' | 'https' {
    return this.#owner.scheme
  }

  get remoteAddress(): string | undefined {
    return this.#owner.remoteAddress
  }

  get remotePort(): number | undefined {
    return this.#owner.remotePort
  }

  get body(): ReceivedBody {
    if (this.#body !== undefined) return this.#body
    // Most requests have none, and nobody asks.
    this.#body = new ReceivedBody(0, this.#owner.host.limits.maxBufferedBodyBytes, this)
    this.#body.finish()
    return this.#body
  }

  get bufferedBytes(): number {
    return this.#output?.bufferedBytes ?? this.#stream.writableLength
  }

  protected get isBlocked(): boolean {
    return this.#output?.isBlocked ?? this.#stream.writableNeedDrain
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
      this.#onStall()
      return
    }
    this.#inputDeadlineMs = Infinity
    this.#setDeadline()
    this.body.fail(new ProtocolError(408, 'Request body took too long', 'stream'))
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    if (this.#isGone) return
    this.#stream.additionalHeaders({ ':status': status, ...fieldsObject(fields) })
  }

  protected override sendAnswer(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    if (this.#isGone) return
    const stream = this.#stream
    const section = answerFields(status, head, this.#owner.host.altSvc)
    if (body === null) {
      stream.respond(section, END_STREAM)
      this.#finish()
      return
    }
    stream.respond(section)
    if (this.#isBodyComplete && this.bodyBytes <= MAX_SINGLE_WRITE_BYTES) {
      // One write that is also the end: END_STREAM goes with its last frame.
      stream.end(body)
      this.#finish()
      return
    }
    this.#beginBody().write(typeof body === 'string' ? Buffer.from(body) : body)
    this.#end()
  }

  protected override sendHead(status: number, head: ResponseHead): void {
    if (this.#isGone) return
    const section = answerFields(status, head, this.#owner.host.altSvc)
    this.#stream.respond(section, head.allowsBody ? BEFORE_TRAILERS : END_STREAM)
    if (head.allowsBody) this.#beginBody()
    // Nothing more will be sent, whatever the application still does.
    else this.#isSent = true
  }

  protected override sendData(chunk: Uint8Array): boolean {
    this.#output?.write(chunk)
    if (this.isBlocked) this.#watchOutput()
    return !this.isBlocked
  }

  protected override sendEnd(trailers: FieldList): void {
    // Without trailers this is an empty DATA frame with END_STREAM.
    this.#stream.on('wantTrailers', () => {
      try {
        this.#stream.sendTrailers(fieldsObject(trailers))
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

  /** Whether the client has ended the stream, which an answer may meet before anybody was told. */
  get #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed
  }

  /** Listens to a request whose content is still to come. */
  #receive(): void {
    const { limits } = this.#owner.host
    const stream = this.#stream
    const announced = this.headers.get('content-length')
    const length = announced === null ? undefined : Number(announced)
    const body = new ReceivedBody(length, limits.maxBufferedBodyBytes, this)
    this.#body = body
    this.#awaitsContinue = this.headers.get('expect')?.toLowerCase() === '100-continue'
    this.#requestDeadlineMs = this.#owner.deadlines.in(limits.requestTimeoutMs)
    const rate = new BodyRate(limits)
    this.#rate = rate
    stream.on('data', (chunk: Buffer) => {
      this.#watchBody()
      try {
        rate.add(chunk.length)
      } catch (error) {
        body.fail(error as ProtocolError)
      }
      body.push(chunk)
    })
    stream.on('trailers', (_headers: unknown, _flags: number, raw: unknown) => {
      if (Array.isArray(raw)) this.#requestTrailers = raw.map(String)
    })
    stream.on('end', () => {
      // An aborted stream ends too, but without the end of its body.
      if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return
      this.#isBodyComplete = true
      this.#watchBody()
      body.finish(this.#requestTrailers)
    })
    this.#watchBody()
  }

  #beginBody(): SlicedWriter {
    const output: SlicedWriter = new SlicedWriter(this.#stream, { onWriteTurn: () => this.#onDrain(output) })
    this.#output = output
    this.#stream.on('drain', () => this.#onDrain(output))
    // Node.js resets a stream whose request nobody reads as soon as all data is written, before END_STREAM is sent.
    if (this.#isBodyComplete) this.#stream.resume()
    return output
  }

  #onStall(): void {
    const { progress, deadlines, host } = this.#owner
    // A reset would wait for the socket as everything does; the session knows how long that may take.
    const isSocketSlow = progress.isBusy && progress.writes - this.#writesBefore < WRITES_OF_OTHERS
    if (isSocketSlow || (this.#isGivenUp && progress.isBusy)) {
      this.#outputDeadlineMs = deadlines.in(host.limits.writeStallTimeoutMs)
    } else if (this.#isGivenUp) {
      this.#owner.destroy()
      return
    } else {
      this.#isGivenUp = true
      this.#inputDeadlineMs = Infinity
      this.#outputDeadlineMs = deadlines.in(host.limits.lingerTimeoutMs)
      this.#output?.clear()
      this.#stream.close(constants.NGHTTP2_CANCEL)
      this.settle(true)
    }
    this.#setDeadline()
  }

  #onDrain(output: SlicedWriter): void {
    if (this.#isGivenUp) return
    output.pump()
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
    // The stream of a complete request closes by itself.
    if (this.#isBodyComplete) return
    if (this.#stream.writableFinished) this.settle(false)
    else this.#stream.once('finish', () => this.settle(false))
  }

  #onClosed(): void {
    this.#owner.onStreamClosed(this)
    this.#output?.clear()
    if (!this.#isBodyComplete) this.body.fail(new AbortedError('The client ended the stream'))
    const isReset = this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR
    // A client may also take back a request without an error; only what was sent in one write tells it apart.
    const isCutOff = this.#output === undefined && !this.#stream.writableFinished
    this.settle(!this.#isSent || isReset || isCutOff)
    // Node.js may hold on to the stream for a while; what the application had for it need not be held along.
    this.onClose = undefined
  }

  #watchBody(): void {
    if (this.#awaitsContinue) return
    const stallMs = this.#owner.deadlines.in(this.#owner.host.limits.bodyStallTimeoutMs)
    this.#inputDeadlineMs = this.#isBodyComplete ? Infinity : Math.min(stallMs, this.#requestDeadlineMs)
    this.#setDeadline()
  }

  #watchOutput(): void {
    this.#writesBefore = this.#owner.progress.writes
    this.#outputDeadlineMs = this.#owner.deadlines.in(this.#owner.host.limits.writeStallTimeoutMs)
    this.#setDeadline()
  }

  #setDeadline(): void {
    this.deadlineMs = Math.min(this.#inputDeadlineMs, this.#outputDeadlineMs)
    this.#owner.onDeadlineSet(this.deadlineMs)
  }
}

/** A stream's `close` follows every `error` and says all that matters. */
function ignore(): void {}
