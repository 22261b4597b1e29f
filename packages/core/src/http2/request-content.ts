import { constants, type ServerHttp2Stream } from 'node:http2'
import type { FieldList, RequestHeaders } from '@fw/types'
import { AbortedError } from '../engine/aborted-error.ts'
import { BodyRate } from '../engine/body-rate.ts'
import type { Deadlines } from '../engine/deadlines.ts'
import type { Limits } from '../limits.ts'
import { ProtocolError } from '../engine/protocol-error.ts'
import { ReceivedBody, type BodySupply } from '../engine/received-body.ts'

/**
 * DATA frames that may come while nobody reads what came before. The window of the stream ends them, after 64 KiB at
 * most; in frames of an octet or two that would be 150 times as much memory, on every stream of a connection.
 */
const MAX_UNREAD_FRAMES = 1024

/** What the content of a request needs of the exchange that it belongs to. */
export interface ContentOwner {
  readonly headers: RequestHeaders
  readonly limits: Limits
  readonly deadlines: Deadlines
  /** 0 as long as no answer has begun. */
  readonly status: number
  readonly isClosed: boolean
  abort(): void
  /** The content has another `deadlineMs`. */
  onContentDeadline(): void
}

/** The content of a request that did not end with its head: DATA and trailers, and the time they may take. */
export class RequestContent implements BodySupply {
  readonly body: ReceivedBody
  /** When more must have arrived. */
  deadlineMs: number = Infinity
  readonly #stream: ServerHttp2Stream
  readonly #owner: ContentOwner
  readonly #requestDeadlineMs: number
  readonly #rate: BodyRate
  #trailers: FieldList = []
  #awaitsContinue: boolean
  #isFull = false
  #unreadFrames = 0
  #isComplete = false

  constructor(stream: ServerHttp2Stream, owner: ContentOwner) {
    const { headers, limits, deadlines } = owner
    const announced = headers.get('content-length')
    this.body = new ReceivedBody(announced === null ? undefined : Number(announced), limits.maxBufferedBodyBytes, this)
    this.#stream = stream
    this.#owner = owner
    this.#requestDeadlineMs = deadlines.in(limits.requestTimeoutMs)
    this.#rate = new BodyRate(limits)
    this.#awaitsContinue = headers.get('expect')?.toLowerCase() === '100-continue'
    this.#countFrames()
    stream.on('data', (chunk: Buffer) => this.#onData(chunk))
    stream.on('trailers', (_headers: unknown, _flags: number, raw: unknown) => {
      if (Array.isArray(raw)) this.#trailers = raw.map(String)
    })
    stream.on('end', () => this.#onEnd())
  }

  /** Whether END_STREAM has arrived. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Begins to wait for more. */
  watch(): void {
    // Who waits for 100 has been asked for nothing yet.
    if (this.#awaitsContinue) return
    const { deadlines, limits } = this.#owner
    const stallMs = deadlines.in(limits.bodyStallTimeoutMs)
    this.#setDeadline(this.#isComplete ? Infinity : Math.min(stallMs, this.#requestDeadlineMs))
  }

  /** Nothing more is waited for. */
  unwatch(): void {
    this.#setDeadline(Infinity)
  }

  onDeadline(): void {
    this.unwatch()
    this.body.fail(new ProtocolError(408, 'Request body took too long', 'stream'))
  }

  /** The stream has ended, in whatever way. */
  onClosed(): void {
    if (!this.#isComplete) this.body.fail(new AbortedError('The client ended the stream'))
  }

  onWanted(): void {
    if (this.#awaitsContinue) {
      this.#awaitsContinue = false
      const { status, isClosed } = this.#owner
      if (status === 0 && !isClosed) this.#stream.additionalHeaders({ ':status': 100 })
    }
    this.watch()
  }

  onFull(): void {
    this.#isFull = true
    this.#unreadFrames = 0
    this.unwatch()
    this.#stream.pause()
  }

  onRoom(): void {
    this.#isFull = false
    this.#rate.restart()
    this.watch()
    this.#stream.resume()
  }

  onFault(): void {
    this.#owner.abort()
  }

  /** No event tells of frames that wait in a stream, but each is pushed to it, as to any readable stream. */
  #countFrames(): void {
    const stream = this.#stream
    const push = stream.push.bind(stream)
    stream.push = (...pushed) => {
      if (this.#isFull && ++this.#unreadFrames > MAX_UNREAD_FRAMES) {
        // RFC 9113 §10.5: small frames in excess. What waits is freed with the stream.
        stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM)
      }
      return push(...pushed)
    }
  }

  #onData(chunk: Buffer): void {
    this.watch()
    try {
      this.#rate.add(chunk.length)
    } catch (error) {
      this.body.fail(error as ProtocolError)
    }
    this.body.push(chunk)
  }

  #onEnd(): void {
    // An aborted stream ends too, but without the end of its body.
    if (this.#stream.aborted || this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR) return
    this.#isComplete = true
    this.watch()
    this.body.finish(this.#trailers)
  }

  #setDeadline(deadlineMs: number): void {
    this.deadlineMs = deadlineMs
    this.#owner.onContentDeadline()
  }
}
