import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { FieldList, ProtocolText, RequestBody, RequestHeaders } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { isSingleField } from '../engine/fields/field-rules.ts'
import { ReceivedBody } from '../engine/exchange/received-body.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'

/** Bytes of a request body that may wait for whoever reads it; then the client is slowed down. */
const MAX_WAITING_BYTES = 64 * 1024

const NO_BYTES = new Uint8Array(0)

/** An exchange by way of the request and response of a server of Node.js. */
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
  #body: ReceivedBody | undefined = undefined
  #isAborted = false

  constructor(request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) {
    super()
    this.#request = request
    this.#response = response
    const { socket } = request
    this.protocol = request.httpVersionMajor === 2 ? 'HTTP/2.0' : 'HTTP/1.1'
    this.scheme = 'encrypted' in socket && socket.encrypted ? 'https' : 'http'
    this.method = request.method ?? ''
    this.target = request.url ?? ''
    this.authority = ('authority' in request ? request.authority : undefined) ?? request.headers.host ?? ''
    this.headers = new FieldListHeaders(request.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)))
    this.remoteAddress = socket.remoteAddress
    this.remotePort = socket.remotePort
    // The response of HTTP/2 says 'finish' also when its stream was reset.
    const stream = 'stream' in response ? response.stream : undefined
    response.on('finish', () => this.settle(stream !== undefined && (!this.isComplete || stream.rstCode !== 0)))
    response.on('close', () => this.settle(true))
    response.on('drain', () => this.wake())
    // 'close' follows and tells the same.
    response.on('error', () => {})
  }

  /** The server knows: a TCP socket that is closed has no address either. */
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
    // As bytes: a server of Node.js would encode the fields along with a text.
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
    // HTTP/2 has the method too, though its type does not say so.
    if ('stream' in this.#response) response.flushHeaders()
    // `flushHeaders()` of HTTP/1.1 would send the fields as UTF-8.
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
    // What Node.js has a method for: early hints, that have to hold a `link`.
    if (status !== 103 || !fields.includes('link')) return
    this.#response.writeEarlyHints(byName(fields))
  }

  protected override settle(aborted: boolean): void {
    if (this.isClosed) return
    this.#isAborted = aborted
    this.#body?.fail(this.#bodyError())
    super.settle(aborted)
  }

  /** Creates the error of a body that the exchange has outlived. */
  #bodyError(): AbortedError {
    return new AbortedError(this.#isAborted ? 'The client went away' : 'The exchange is over')
  }

  /** Bytes announced, 0 if none follow, `undefined` if only the end will tell. */
  #bodyLength(): number | undefined {
    const request = this.#request
    const length = request.headers['content-length']
    if (length !== undefined) return Number(length)
    if ('stream' in request) return request.stream.endAfterHeaders ? 0 : undefined
    return request.headers['transfer-encoding'] === undefined ? 0 : undefined
  }

  #receive(body: ReceivedBody): void {
    const request = this.#request
    // What nobody has read by then is thrown away; what is left would be taken for the whole.
    if (this.isClosed) return body.fail(this.#bodyError())
    if (request.readableDidRead || request.readableEnded) {
      body.fail(new Error('The body was read already: mount these routes before what reads it, such as express.json()'))
      return
    }
    request.on('data', (chunk: Uint8Array) => body.push(chunk))
    request.on('end', () => body.finish())
    request.on('error', (cause) => body.fail(new AbortedError('The body broke off', { cause })))
    request.on('close', () => body.fail(new AbortedError('The client went away')))
  }
}

/** Fields as Node.js takes them: by name, with several values of a name as a list. */
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
 * Trailers as Node.js takes them on both protocols: text only. It has fields of its own mind that may come once, and
 * fails at others where nobody can catch it.
 */
function joined(trailers: FieldList): Record<string, string> {
  const all: Record<string, string> = Object.create(null)
  for (const [name, values] of Object.entries(byName(trailers))) {
    all[name] = typeof values === 'string' ? values : isSingleField(name) ? (values.at(-1) ?? '') : values.join(', ')
  }
  return all
}
