import type { ExchangeTrace, FieldList, RequestHeaders, SharedChunk, UpgradedConnection } from '@fw/types'
import { LARGE_HEAD_BYTES } from '../engine/budget/buffer-account.ts'
import { SocketExchange, type SocketPeer } from '../engine/exchange/socket-exchange.ts'
import { ReceivedBody } from '../engine/exchange/received-body.ts'
import { tunnelHead, type ResponseHead } from '../engine/exchange/response-head.ts'
import type { Tunnel } from '../engine/exchange/tunnel.ts'
import { traceFlushed } from '../engine/tracing/request-trace.ts'
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

/** Maximum length of an ASCII text body, in characters, that is concatenated with its head. */
const JOINED_BODY_CHARS = 16 * 1024
/** Maximum size of a body or chunk, in bytes, that is copied into one write with its framing (docs/decisions/0007). */
const COPIED_BYTES = 2 * 1024

/** Captures the first protocol in the value of `Upgrade`, with its version. */
const PROTOCOL = /^[\t ,]*([!#$%&'*+.^_`|~\dA-Za-z-]+(?:\/[!#$%&'*+.^_`|~\dA-Za-z-]+)?)[\t ]*(?:,|$)/

/** The connection of an exchange. */
export interface Http1ExchangeOwner extends SocketPeer {
  readonly scheme: 'http' | 'https'
  readonly output: Http1Output
  /** Returns the connection fields of the next response. @param close Whether the response must be the last one */
  connectionFields(close: boolean): ConnectionFields
  /** Closes the connection now. @param isVisible Whether the peer must detect that bytes are missing */
  break(isVisible: boolean): void
  /** Returns the connection for another protocol, with the bytes received after the request. */
  giveAway(): UpgradedConnection
  /** Keeps the connection for a tunnel, which starts with the bytes received after the request. */
  openTunnel(exchange: Http1Exchange): Tunnel
  /** Called when the application has completed a response that has not been sent yet. */
  onComplete(exchange: Http1Exchange): void
  /** Continues with the connection after the exchange has ended. */
  onSettled(exchange: Http1Exchange): void
}

/** Writes the response to one request on an HTTP/1.x connection. */
export class Http1Exchange extends SocketExchange {
  readonly protocol = 'HTTP/1.1'
  readonly #owner: Http1ExchangeOwner
  /** The owner's output, stored here so that a broadcast touches fewer objects per exchange. */
  readonly #output: Http1Output
  readonly #head: RequestHead
  #body: ReceivedBody | undefined
  #framing: ResponseFraming = 'none'
  #isEnding = false

  /** @param body `undefined` for a request without a body */
  constructor(owner: Http1ExchangeOwner, head: RequestHead, body: ReceivedBody | undefined) {
    super()
    this.#owner = owner
    this.#output = owner.output
    this.#head = head
    this.#body = body
    if (head.text.length >= LARGE_HEAD_BYTES) this.#output.account.add(head.text.length)
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
  protected get peer(): SocketPeer {
    return this.#owner
  }
  get bufferedBytes(): number {
    return this.#output.bufferedBytes
  }
  override get upgrade(): (() => UpgradedConnection) | undefined {
    if (!this.#mayUpgrade) return undefined
    return () => {
      this.switchProtocols()
      return this.#owner.giveAway()
    }
  }
  override get upgradeProtocol(): string | undefined {
    if (!this.#mayUpgrade) return undefined
    // RFC 9110 §7.8: the client lists protocols in the order of its preference.
    return PROTOCOL.exec(this.headers.get('upgrade') ?? '')?.[1]?.toLowerCase()
  }

  override tunnel(fields: FieldList): Tunnel {
    const protocol = this.upgradeProtocol
    if (protocol === undefined) return super.tunnel(fields)
    const head = tunnelHead(fields)
    this.beginTunnel(101)
    const switching = [...head.fields, 'connection', 'upgrade', 'upgrade', protocol]
    this.#output.writeText(encodeInformational(101, switching))
    return this.#owner.openTunnel(this)
  }

  /** Whether the client would mistake FIN for the end of this incomplete response. */
  get endsWithConnection(): boolean {
    return this.#framing === 'close' && !this.isClosed
  }

  protected get isBlocked(): boolean {
    return this.#output.isBlocked
  }

  /** Continues after a blocked write. */
  onDrain(): void {
    this.wake()
    if (this.#isEnding) this.settle(false)
  }

  /**
   * Ends the exchange with its connection. An upgraded exchange always ends this way, so it does not count as aborted.
   */
  onConnectionLost(error: Error): void {
    this.#body?.fail(error)
    this.settle(this.status !== 101)
  }

  protected override sendInformational(status: number, fields: FieldList): void {
    // RFC 9110 §15.2: do not send a 1xx response to an HTTP/1.0 client.
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
      // Text with as many bytes as characters is ASCII, so Latin-1 encodes it correctly.
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

  protected override awaitFlush(trace: ExchangeTrace): void {
    this.#output.whenSent(() => traceFlushed(trace))
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    super.settle(aborted)
    const headBytes = this.#head.text.length
    if (headBytes >= LARGE_HEAD_BYTES) this.#output.account.add(-headBytes)
    this.#owner.onSettled(this)
  }

  /**
   * Aborts a streamed response that would exceed `maxBufferedBytes`. Returns true, because the caller must not wait.
   */
  #cutOff(): true {
    this.abort()
    return true
  }

  /** Whether the request permits 101 (RFC 9110 §7.8). Its body would otherwise precede the bytes of the new protocol. */
  get #mayUpgrade(): boolean {
    const { fields, framing } = this.#head
    if (fields.minor === 0 || hasBody(framing) || !this.headers.has('upgrade')) return false
    return /(?:^|,)[\t ]*upgrade[\t ]*(?:,|$)/i.test(this.headers.get('connection') ?? '')
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

  /** Ends the exchange when the transport has accepted all bytes. */
  #finish(): void {
    if (!this.#output.isBlocked) return this.settle(false)
    this.#isEnding = true
    this.#owner.onComplete(this)
  }
}

/** Decodes bytes as Latin-1. */
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
