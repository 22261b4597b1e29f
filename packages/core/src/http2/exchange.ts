import { constants, type ServerHttp2Stream } from 'node:http2'
import type { FieldList, RequestHeaders } from '@fw/types'
import { BaseExchange } from '../engine/base-exchange.ts'
import type { Deadlines } from '../engine/deadlines.ts'
import type { EngineHost } from '../engine/engine.ts'
import { FieldListHeaders } from '../engine/field-list-headers.ts'
import type { Limits } from '../limits.ts'
import { ReceivedBody, type BodySupply } from '../engine/received-body.ts'
import type { ResponseHead } from '../engine/response-head.ts'
import { SlicedWriter } from '../engine/sliced-writer.ts'
import { answerFields, fieldsObject } from './answer-fields.ts'
import { RequestContent, type ContentOwner } from './request-content.ts'
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
  /** When the session looks at its socket next, on the clock of `Deadlines`. */
  readonly nextSampleMs: number
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
/** Of a body that is complete as it is made, nothing is asked. */
const NO_SUPPLY: BodySupply = { onWanted: ignore, onFull: ignore, onRoom: ignore }
const END_STREAM = { endStream: true }
const BEFORE_TRAILERS = { waitForTrailers: true }

/**
 * Where a stream keeps its exchange as long as it is open. Node.js holds on to closed streams until the next full
 * collection of garbage; a listener that knew the exchange would have all that belongs to it held along.
 */
const exchangeOf = Symbol('exchange')

interface OwnedStream extends ServerHttp2Stream {
  [exchangeOf]?: Http2Exchange | undefined
}

/** A request and its answer on an HTTP/2 stream. */
export class Http2Exchange extends BaseExchange implements ContentOwner {
  readonly protocol = 'HTTP/2.0'
  readonly headers: RequestHeaders
  /** When `onDeadline` is due. */
  deadlineMs: number = Infinity
  /** Where the session keeps the exchange. */
  slot = -1

  readonly #stream: ServerHttp2Stream
  readonly #owner: StreamOwner
  readonly #head: Http2RequestHead
  /** Absent where the request ended with its head. */
  readonly #content: RequestContent | undefined
  /** Made when asked for where there is no content. */
  #body: ReceivedBody | undefined = undefined
  /** For answers in several writes. */
  #output: SlicedWriter | undefined = undefined
  /** When the client must have taken more of the answer. */
  #outputDeadlineMs = Infinity
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
    hasContent: boolean,
    owner: StreamOwner,
  ) {
    super()
    this.#stream = stream
    this.#owner = owner
    this.#head = head
    this.headers = new FieldListHeaders(fields)
    ;(stream as OwnedStream)[exchangeOf] = this
    stream.on('error', ignore)
    stream.on('close', onStreamClosed)
    owner.watch(this)
    this.#content = hasContent ? new RequestContent(stream, this) : undefined
    this.#content?.watch()
  }

  get method(): string {
    return this.#head.method
  }

  get target(): string {
    return this.#head.target
  }

  get authority(): string {
    return this.#head.authority
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

  get limits(): Limits {
    return this.#owner.host.limits
  }

  get deadlines(): Deadlines {
    return this.#owner.deadlines
  }

  get body(): ReceivedBody {
    if (this.#content !== undefined) return this.#content.body
    if (this.#body === undefined) {
      // Most requests have none, and nobody asks.
      this.#body = new ReceivedBody(0, this.limits.maxBufferedBodyBytes, NO_SUPPLY)
      this.#body.finish()
    }
    return this.#body
  }

  get bufferedBytes(): number {
    return this.#output?.bufferedBytes ?? this.#stream.writableLength
  }

  protected get isBlocked(): boolean {
    return this.#output?.isBlocked ?? this.#stream.writableNeedDrain
  }

  onDeadline(): void {
    if (this.#outputDeadlineMs <= performance.now()) this.#onStall()
    else this.#content?.onDeadline()
  }

  onContentDeadline(): void {
    this.#setDeadline()
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
    if (this.#isRequestComplete && this.bodyBytes <= MAX_SINGLE_WRITE_BYTES) {
      // One write that is also the end: END_STREAM goes with its last frame.
      // Text of as many octets as characters is ASCII, which Node.js need not encode.
      if (typeof body === 'string' && body.length === this.bodyBytes) stream.end(body, 'latin1')
      else stream.end(body)
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
    if (this.#isRequestComplete || this.#stream.closed) return
    this.#content?.body.discard()
    // RFC 9113 §8.1: an early answer ends the request without an error, but not before the answer itself is out.
    setImmediate(() => this.#stream.close(constants.NGHTTP2_NO_ERROR))
  }

  get #isRequestComplete(): boolean {
    return this.#content?.isComplete ?? true
  }

  /** Whether the client has ended the stream, which an answer may meet before anybody was told. */
  get #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed
  }

  #beginBody(): SlicedWriter {
    const output: SlicedWriter = new SlicedWriter(this.#stream, { onWriteTurn: () => this.#onDrain(output) })
    this.#output = output
    this.#stream.on('drain', () => this.#onDrain(output))
    // Node.js resets a stream whose request nobody reads as soon as all data is written, before END_STREAM is sent.
    if (this.#isRequestComplete) this.#stream.resume()
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
      this.#content?.unwatch()
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
    if (this.#isRequestComplete) return
    if (this.#stream.writableFinished) this.settle(false)
    else this.#stream.once('finish', () => this.settle(false))
  }

  /** The stream has ended, in whatever way. */
  onClosed(): void {
    this.#owner.onStreamClosed(this)
    this.#output?.clear()
    this.#content?.onClosed()
    const isReset = this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR
    // A client may also take back a request without an error; only what was sent in one write tells it apart.
    const isCutOff = this.#output === undefined && !this.#stream.writableFinished
    this.settle(!this.#isSent || isReset || isCutOff)
  }

  #watchOutput(): void {
    const { progress, nextSampleMs, host } = this.#owner
    this.#writesBefore = progress.writes
    // From the next sample on, a quarter of that time at most: every answer comes here, and to ask the clock costs more
    // than all else of it.
    this.#outputDeadlineMs = nextSampleMs + host.limits.writeStallTimeoutMs
    this.#setDeadline()
  }

  #setDeadline(): void {
    this.deadlineMs = Math.min(this.#content?.deadlineMs ?? Infinity, this.#outputDeadlineMs)
    this.#owner.onDeadlineSet(this.deadlineMs)
  }
}

function onStreamClosed(this: OwnedStream): void {
  const exchange = this[exchangeOf]
  this[exchangeOf] = undefined
  exchange?.onClosed()
}

/** A stream's `close` follows every `error` and says all that matters. */
function ignore(): void {}
