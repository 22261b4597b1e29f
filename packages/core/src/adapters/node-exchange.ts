import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import { withCode } from '@fw/options'
import type { FieldList, ProtocolText, RequestBody, RequestHeaders } from '@fw/types'
import { AbortedError, exchangeAborted } from '../engine/errors.ts'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import type { JudgedHead } from '../engine/semantics/request-head.ts'
import { nodeProtocol } from './node-verdict.ts'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { isSingleField } from '../engine/fields/field-rules.ts'
import { ReceivedBody } from '../engine/exchange/received-body.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'

/** Maximum number of received body bytes to buffer until the handler reads them. Above it, the request is paused. */
const MAX_WAITING_BYTES = 64 * 1024

const NO_BYTES = new Uint8Array(0)

/** Adapts a Node.js request and response to an exchange. */
export class NodeExchange extends BaseExchange {
  readonly protocol: ProtocolText
  readonly scheme: 'http' | 'https'
  readonly method: string
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly #request: IncomingMessage | Http2ServerRequest
  readonly #response: ServerResponse | Http2ServerResponse
  readonly #contentLength: number | undefined
  #body: ReceivedBody | undefined = undefined
  #isAborted = false

  constructor(
    request: IncomingMessage | Http2ServerRequest,
    response: ServerResponse | Http2ServerResponse,
    { authority, contentLength }: JudgedHead,
  ) {
    super()
    this.#request = request
    this.#response = response
    const { socket } = request
    this.protocol = nodeProtocol(request)
    this.scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
    this.method = request.method ?? ''
    this.target = request.url ?? ''
    this.authority = authority
    this.headers = new FieldListHeaders(fieldsOf(request, authority))
    this.#contentLength = contentLength
    this.remoteAddress = socket.remoteAddress
    this.remotePort = socket.remotePort
    // An HTTP/2 response emits 'finish' even if its stream was reset.
    const stream = 'stream' in response ? response.stream : undefined
    response.on('finish', () => this.settle(stream !== undefined && (!this.isComplete || stream.rstCode !== 0)))
    response.on('close', () => this.settle(true))
    response.on('drain', () => this.wake())
    // 'close' follows and settles the exchange.
    response.on('error', () => {})
  }

  /**
   * Whether the server listens on a Unix socket. Checks the server, because a closed TCP socket has no remote address
   * either.
   */
  get isUnixSocket(): boolean {
    const { server } = this.#request.socket as { server?: Partial<Pick<Server, 'address'>> }
    return this.remoteAddress === undefined && typeof server?.address?.() === 'string'
  }

  get body(): RequestBody {
    if (this.#body === undefined) {
      const request = this.#request
      const body = new ReceivedBody(this.#bodyLength(), MAX_WAITING_BYTES, {
        onWanted: () => this.#receive(body),
        onFull: () => request.pause(),
        onRoom: () => request.resume(),
      })
      this.#body = body
      if (body.length === 0) body.finish()
    }
    return this.#body
  }

  get bufferedBytes(): number {
    return this.#response.writableLength
  }

  protected get isBlocked(): boolean {
    return this.#response.writableNeedDrain
  }

  protected sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    this.sendHead(status, head)
    // Convert text to bytes, because Node.js would encode the header fields together with a text body.
    if (body === null) this.#response.end()
    else this.#response.end(typeof body === 'string' ? Buffer.from(body) : body)
  }

  protected sendHead(status: number, { fields, contentLength, allowsBody, close }: ResponseHead): void {
    const headers = byName(fields)
    if (contentLength !== undefined) headers['content-length'] = String(contentLength)
    if (close && this.protocol === 'HTTP/1.1') headers['connection'] = 'close'
    const response = this.#response as ServerResponse
    response.writeHead(status, headers)
    if (contentLength !== undefined || !allowsBody) return
    // On HTTP/1.1, `flushHeaders()` would encode the fields as UTF-8.
    if ('stream' in this.#response) response.flushHeaders()
    else response.write(NO_BYTES)
  }

  protected sendData(chunk: Uint8Array): boolean {
    return (this.#response as ServerResponse).write(chunk)
  }

  protected sendEnd(trailers: FieldList): void {
    if (trailers.length > 0) this.#response.addTrailers(joined(trailers))
    this.#response.end()
  }

  protected sendReset(): void {
    const response = this.#response
    if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
    else response.destroy()
  }

  protected sendInformational(status: number, fields: FieldList): void {
    // Node.js can send only early hints, and only with a `link` field.
    if (status !== 103 || !fields.includes('link')) return
    this.#response.writeEarlyHints(byName(fields))
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    this.#isAborted = aborted
    this.#body?.fail(this.#bodyError())
    super.settle(aborted)
  }

  /** Returns the error for reads after the exchange has ended. */
  #bodyError(): AbortedError {
    return this.#isAborted ? exchangeAborted() : new AbortedError('The exchange has ended')
  }

  /** Returns the announced number of bytes, 0 without a body, or `undefined` if the length is unknown. */
  #bodyLength(): number | undefined {
    const request = this.#request
    if (this.#contentLength !== undefined) return this.#contentLength
    if ('stream' in request) return request.stream.endAfterHeaders ? 0 : undefined
    return request.headers['transfer-encoding'] === undefined ? 0 : undefined
  }

  #receive(body: ReceivedBody): void {
    const request = this.#request
    // Node.js discards unread bytes when the response ends. A later read would return the rest as if it were the whole
    // body.
    if (this.isClosed) return body.fail(this.#bodyError())
    if (request.readableDidRead || request.readableEnded) {
      body.fail(
        withCode(
          'FW_BODY_ALREADY_READ',
          new Error(
            'The body has already been read. Mount these routes before middleware that reads it, such as express.json().',
          ),
        ),
      )
      return
    }
    request.on('data', (chunk: Uint8Array) => body.push(chunk))
    request.on('end', () => body.finish())
    request.on('error', (cause) => body.fail(new AbortedError('The request body is incomplete', { cause })))
    request.on('close', () => body.fail(new AbortedError('The request body is incomplete')))
  }
}

/** Returns the header fields of a request with lower-case names. */
function fieldsOf({ rawHeaders }: IncomingMessage | Http2ServerRequest, authority: string): FieldList {
  const fields = rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text))
  // RFC 9112 §3.2.2: the authority of an absolute target replaces Host.
  const host = fields.findIndex((text, i) => i % 2 === 0 && text === 'host')
  if (host !== -1) fields[host + 1] = authority
  return fields
}

/** Groups fields by name, as Node.js expects. The values of a repeated field become a list. */
function byName(fields: FieldList): Record<string, string | string[]> {
  const all: Record<string, string | string[]> = Object.create(null)
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value = ''] = [fields[i], fields[i + 1]]
    const before = all[name]
    if (before === undefined) all[name] = value
    else if (typeof before === 'string') all[name] = [before, value]
    else before.push(value)
  }
  return all
}

/**
 * Joins trailer values into one string. On HTTP/2, Node.js throws an error that no caller can catch if the value of
 * certain fields is a list.
 */
function joined(trailers: FieldList): Record<string, string> {
  const all: Record<string, string> = Object.create(null)
  for (const [name, values] of Object.entries(byName(trailers))) {
    all[name] = typeof values === 'string' ? values : isSingleField(name) ? (values.at(-1) ?? '') : values.join(', ')
  }
  return all
}
