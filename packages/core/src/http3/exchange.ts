import type { FieldList, RequestHeaders } from '@fw/types'
import type { BufferAccount } from '../engine/budget/buffer-account.ts'
import { QueuedText, type Chunk } from '../engine/budget/queued-text.ts'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import type { ReceivedBody } from '../engine/exchange/received-body.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { encodeResponse, encodeResponseHead, encodeInformational, encodeTrailers } from './response-head.ts'
import { encodeFrame, frameHeaderLength, FrameType, writeFrameHeader } from './frames.ts'
import type { RequestHead } from './request-head.ts'
import type { StreamOutput } from './stream-output.ts'

/** Content up to this many bytes is copied behind its frame header, so that both are given to QUIC at once. */
const COPIED_BODY_BYTES = 16 * 1024

/**
 * A frame that says nothing, of a type that everybody has to ignore (RFC 9114 §7.2.8), to carry the end of a stream all
 * of whose bytes were sent before. quiche 0.18 forgets a stream when its bytes have arrived; if its end alone was on
 * the way then and is lost, it is never sent again, and the client waits for it.
 */
const LAST_FRAME = encodeFrame(0x21, new Uint8Array())

/** What an exchange needs of the stream it runs on. */
export interface ResponseStream {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly output: StreamOutput
  /** Counts the bytes that are held for the connection; made on first access. */
  readonly account: BufferAccount
  /** Sends what was put into the output. */
  flush(): void
  /** Gives the stream up in both directions. */
  reset(): void
  /** The exchange is over. */
  onSettled(aborted: boolean): void
}

/** A request and its response on an HTTP/3 stream. */
export class Http3Exchange extends BaseExchange {
  readonly protocol = 'HTTP/3.0'
  readonly scheme = 'https'
  readonly method: string
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  readonly body: ReceivedBody
  readonly #stream: ResponseStream
  readonly #output: StreamOutput

  constructor(stream: ResponseStream, head: RequestHead, body: ReceivedBody) {
    super()
    this.method = head.method
    this.target = head.target
    this.authority = head.authority
    this.headers = new FieldListHeaders(head.fields)
    this.body = body
    this.#stream = stream
    this.#output = stream.output
  }

  get remoteAddress(): string {
    return this.#stream.remoteAddress
  }
  get remotePort(): number {
    return this.#stream.remotePort
  }
  get bufferedBytes(): number {
    return this.#output.bufferedBytes
  }
  protected get isBlocked(): boolean {
    return this.#output.bufferedBytes > 0
  }

  /** QUIC took more of the response. */
  onFlushed(): void {
    if (!this.isBlocked) this.wake()
    if (this.isComplete && this.#output.isEnded) this.settle(false)
  }

  /** The client is gone, or wants no response any more. */
  onAborted(): void {
    this.settle(true)
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    this.#output.push(encodeInformational(status, fields))
    this.#stream.flush()
  }

  protected override sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    if (body !== null && this.bodyBytes <= COPIED_BODY_BYTES) {
      this.#output.push(encodeResponse(status, head, typeof body === 'string' ? Buffer.from(body) : body))
    } else {
      // How much QUIC takes is known only afterwards. It is seldom all of a large body.
      if (body !== null && !this.#stream.account.admits(body, this.bodyBytes)) return this.sendOverloaded()
      this.#output.push(encodeResponseHead(status, head))
      if (body !== null) this.#pushLarge(typeof body === 'string' ? new QueuedText(body, this.bodyBytes) : body)
    }
    this.#end()
  }

  protected override sendHead(status: number, head: ResponseHead): void {
    this.#output.push(encodeResponseHead(status, head))
    if (!head.allowsBody) this.#output.end()
    this.#stream.flush()
  }

  protected override sendData(chunk: Uint8Array): boolean {
    const isLarge = chunk.byteLength > COPIED_BODY_BYTES
    if ((isLarge || this.isBlocked) && !this.#stream.account.admitsPart(chunk)) {
      this.abort()
      return true
    }
    if (isLarge) this.#pushLarge(chunk)
    else this.#pushSmall(chunk)
    this.#stream.flush()
    return !this.isBlocked
  }

  protected override sendEnd(trailers: FieldList): void {
    if (trailers.length > 0) this.#output.push(encodeTrailers(trailers))
    else if (this.#output.bufferedBytes === 0) this.#output.push(LAST_FRAME)
    this.#end()
  }

  protected override sendReset(): void {
    this.#stream.reset()
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    super.settle(aborted)
    this.#stream.onSettled(aborted)
  }

  #end(): void {
    this.#output.end()
    this.#stream.flush()
  }

  #pushSmall(body: Uint8Array): void {
    const headerBytes = frameHeaderLength(FrameType.DATA, body.byteLength)
    const frame = Buffer.allocUnsafe(headerBytes + body.byteLength)
    frame.set(body, writeFrameHeader(frame, FrameType.DATA, body.byteLength, 0))
    this.#output.push(frame)
  }

  #pushLarge(body: Chunk): void {
    const header = Buffer.allocUnsafe(frameHeaderLength(FrameType.DATA, body.byteLength))
    writeFrameHeader(header, FrameType.DATA, body.byteLength, 0)
    this.#output.push(header)
    this.#output.push(body)
  }
}
