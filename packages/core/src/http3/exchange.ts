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

/**
 * Maximum size of content, in bytes, that is copied after its frame header, so that QUIC receives both in one write.
 */
const COPIED_BODY_BYTES = 16 * 1024

/**
 * Empty frame of a reserved type, which every client ignores (RFC 9114 §7.2.8). Carries the end of a stream whose bytes
 * have all been sent. quiche 0.18 forgets a stream once its bytes are acknowledged. If a packet that contains only the
 * end is lost, quiche does not send it again, and the client waits for it.
 */
const LAST_FRAME = encodeFrame(0x21, new Uint8Array())

/** Gives an exchange access to its stream. */
export interface ResponseStream {
  readonly remoteAddress: string
  readonly remotePort: number
  readonly output: StreamOutput
  /** Account of the bytes buffered for the connection; created on first access. */
  readonly account: BufferAccount
  /** Sends the bytes in `output`. */
  flush(): void
  /** Resets the stream in both directions. */
  reset(): void
  /** Called when the exchange has ended. */
  onSettled(aborted: boolean): void
}

/** Exchanges one request and its response on an HTTP/3 stream. */
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

  protected override accountBeyond(minBytes: number): BufferAccount | undefined {
    return minBytes > COPIED_BODY_BYTES ? this.#stream.account : undefined
  }

  /** Called when QUIC has accepted more of the response. */
  onFlushed(): void {
    if (!this.isBlocked) this.wake()
    if (this.isComplete && this.#output.isEnded) this.settle(false)
  }

  /** Aborts the exchange, because the client disconnected or canceled the response. */
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
      // QUIC reports the number of accepted bytes only after the write, and seldom accepts a whole large body. Reserve
      // room for all of it.
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
