import type { FieldList, RequestHeaders, SharedChunk, UpgradedConnection } from '@fw/types'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { ReceivedBody } from '../engine/exchange/received-body.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { hasBody } from './framing.ts'
import type { RequestHead } from './request-head.ts'
import type { Http1Output } from './output.ts'
import {
  chunkedEnd,
  chunkHead,
  encodeHead,
  encodeInformational,
  responseFraming,
  type ConnectionFields,
  type ResponseFraming,
} from './response-head.ts'

/** Bodies of text up to this many characters leave as one text with their head. */
const JOINED_BODY_CHARS = 16 * 1024
/** Bodies and chunks up to this many bytes are copied into one write with their framing (docs/decisions/0007). */
const COPIED_BYTES = 2 * 1024

/** What an exchange needs of the connection it runs on. */
export interface Http1ExchangeOwner {
  readonly scheme: 'http' | 'https'
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly output: Http1Output
  /** The head is about to be sent: what it says about the connection. `close` is the application's wish, or need. */
  connectionFields(close: boolean): ConnectionFields
  /** Ends the connection now. @param isVisible Whether a peer that reads to the end must detect that bytes are missing */
  break(isVisible: boolean): void
  /** Hands over the connection with the bytes received after the request. */
  giveAway(): UpgradedConnection
  /** The application has given the whole response, which the client has not taken yet. */
  onComplete(exchange: Http1Exchange): void
  /** The exchange is over. */
  onSettled(exchange: Http1Exchange): void
}

/** A request and its response on an HTTP/1.x connection. */
export class Http1Exchange extends BaseExchange {
  readonly protocol = 'HTTP/1.1'
  readonly #owner: Http1ExchangeOwner
  /** The output of the owner. A broadcast passes through thousands of exchanges, so it must touch little of each. */
  readonly #output: Http1Output
  readonly #head: RequestHead
  #body: ReceivedBody | undefined
  #framing: ResponseFraming = 'none'
  #isEnding = false

  /** @param body Absent for a request without one */
  constructor(owner: Http1ExchangeOwner, head: RequestHead, body: ReceivedBody | undefined) {
    super()
    this.#owner = owner
    this.#output = owner.output
    this.#head = head
    this.#body = body
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
  get body(): ReceivedBody {
    return (this.#body ??= this.#emptyBody())
  }
  get headers(): RequestHeaders {
    return this.#head.fields.headers
  }
  get remoteAddress(): string | undefined {
    return this.#owner.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#owner.remotePort
  }
  get isUnixSocket(): boolean {
    // A listener on TCP serves no peer without an address.
    return this.#owner.remoteAddress === undefined
  }
  get bufferedBytes(): number {
    return this.#output.bufferedBytes
  }
  override get upgrade(): (() => UpgradedConnection) | undefined {
    const { fields, framing } = this.#head
    if (fields.minor === 0 || hasBody(framing) || !this.headers.has('upgrade')) return undefined
    const options = this.headers.get('connection') ?? ''
    if (!/(?:^|,)[\t ]*upgrade[\t ]*(?:,|$)/i.test(options)) return undefined
    return () => {
      this.switchProtocols()
      return this.#owner.giveAway()
    }
  }

  /** Whether the client would take an ordinary end of the connection for that of the response, which has not come. */
  get endsWithConnection(): boolean {
    return this.#framing === 'close' && !this.isClosed
  }

  protected get isBlocked(): boolean {
    return this.#output.isBlocked
  }

  /** The socket takes more. */
  onDrain(): void {
    this.wake()
    if (this.#isEnding) this.settle(false)
  }

  /** The connection ended before the exchange did; one that was upgraded ends like that. */
  onConnectionLost(error: Error): void {
    this.#body?.fail(error)
    this.settle(this.status !== 101)
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    // RFC 9110 §15.2: HTTP/1.0 has no informational responses.
    if (this.#head.fields.minor === 1) this.#output.writeText(encodeInformational(status, fields))
  }

  protected override sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    const output = this.#output
    if (this.bodyBytes > JOINED_BODY_CHARS && body !== null && !output.admits(body, this.bodyBytes)) {
      return this.sendOverloaded()
    }
    const text = this.#encodeHead(status, head)
    if (body === null) output.writeResponse(text)
    else if (typeof body === 'string') {
      // As many bytes as characters: all ASCII, and the same in latin1.
      if (this.bodyBytes === body.length && body.length <= JOINED_BODY_CHARS) output.writeResponse(text + body)
      else this.#writeTogether(text, body)
    } else this.#writeTogether(text, body)
    this.#finish()
  }

  protected override sendHead(status: number, head: ResponseHead): void {
    this.#output.writeText(this.#encodeHead(status, head))
  }

  protected override sendData(chunk: Uint8Array): boolean {
    const output = this.#output
    if (!output.admitsPart(chunk)) return this.#cutOff()
    if (this.#framing !== 'chunked') return output.writeBytes(chunk)
    if (chunk.byteLength <= COPIED_BYTES) return output.writeBytes(framedChunk(chunk))
    output.cork()
    output.writeText(chunkHead(chunk.byteLength))
    output.writeBytes(chunk)
    output.writeText('\r\n')
    output.uncork()
    return !output.isBlocked
  }

  protected override sendShared(chunk: SharedChunk): boolean {
    if (!this.#output.admitsPart(chunk.bytes)) return this.#cutOff()
    if (this.#framing !== 'chunked') return this.#output.writeBytes(chunk.bytes)
    return this.#output.writeBytes((chunk.chunked ??= framedChunk(chunk.bytes)))
  }

  protected override sendEnd(trailers: FieldList): void {
    if (this.#framing === 'chunked') this.#output.writeText(chunkedEnd(trailers))
    this.#finish()
  }

  protected override sendReset(): void {
    this.#owner.break(this.endsWithConnection)
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    super.settle(aborted)
    this.#owner.onSettled(this)
  }

  /** Ends a streamed response of which the process cannot hold more. */
  #cutOff(): true {
    this.abort()
    return true
  }

  #emptyBody(): ReceivedBody {
    const body = new ReceivedBody(0, 0, { onWanted() {}, onFull() {}, onRoom() {}, onFault: () => this.abort() })
    body.finish()
    return body
  }

  #encodeHead(status: number, head: ResponseHead): string {
    this.#framing = responseFraming(this.#head.fields.minor, head)
    const fields = this.#owner.connectionFields(head.close || this.#framing === 'close')
    return encodeHead(status, head, this.#framing, fields)
  }

  #writeTogether(text: string, body: Uint8Array | string): void {
    const output = this.#output
    if (this.bodyBytes <= COPIED_BYTES) {
      output.writeResponse(text + latin1(typeof body === 'string' ? Buffer.from(body) : body))
      return
    }
    output.cork()
    output.writeText(text)
    if (typeof body === 'string') output.writeBody(body, this.bodyBytes)
    else output.writeBytes(body)
    output.uncork()
  }

  /** Everything was written; the exchange is over once the socket has taken it. */
  #finish(): void {
    if (!this.#output.isBlocked) return this.settle(false)
    this.#isEnding = true
    this.#owner.onComplete(this)
  }
}

/** Bytes as text, one a character. */
function latin1(bytes: Uint8Array): string {
  const buffer = bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return buffer.toString('latin1')
}

function framedChunk(chunk: Uint8Array): Buffer {
  const head = chunkHead(chunk.byteLength)
  const framed = Buffer.allocUnsafe(head.length + chunk.byteLength + 2)
  framed.write(head, 'latin1')
  framed.set(chunk, head.length)
  framed.write('\r\n', framed.length - 2, 'latin1')
  return framed
}
