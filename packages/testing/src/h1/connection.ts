import type { Socket } from 'node:net'
import type { ClientRequest, ClientResponse, TestField } from '../client.ts'
import { requestMethod } from '../request-body.ts'
import { IncompleteResponse, MalformedResponse } from '../response-error.ts'
import { checkResponseHead } from '../response-rules.ts'
import { StreamedResponse } from '../streamed-response.ts'
import { ByteReader } from './byte-reader.ts'
import { StreamSource } from '../byte-source.ts'
import { readBody } from './read-body.ts'
import { type ResponseHead, readHead } from './read-head.ts'
import { type ResponseFraming, closesConnection, responseFraming } from './response-framing.ts'
import { sendRequest } from './send-request.ts'

/** Receives the events of a connection: the connection is idle again, or the server broke the protocol between responses. */
export interface ConnectionOwner {
  onIdle(connection: Connection): void
  onFault(error: Error): void
}

/** Socket with at most one exchange at a time. */
export class Connection {
  readonly #socket: Socket
  readonly #reader: ByteReader
  readonly #authority: string
  readonly #owner: ConnectionOwner
  #isIdle = true

  /** @param socket Connected and unread */
  constructor(socket: Socket, authority: string, owner: ConnectionOwner) {
    this.#socket = socket
    this.#reader = new ByteReader(new StreamSource(socket))
    this.#authority = authority
    this.#owner = owner
    socket.on('readable', () => this.#whileIdle())
  }

  /** Reports whether the connection can carry another request; false once the server's FIN has been read. */
  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.readableEnded
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Sends a request and reads the header section of its response. */
  async exchange(request: ClientRequest): Promise<ClientResponse> {
    request.signal?.throwIfAborted()
    this.#isIdle = false
    const giveUp = (): void => void this.#socket.destroy(request.signal?.reason as Error)
    request.signal?.addEventListener('abort', giveUp, { once: true })
    const sent = sendRequest(this.#socket, request, this.#authority)
    const finish = (isReusable: boolean): void => {
      request.signal?.removeEventListener('abort', giveUp)
      // If the response ended before its request, the remaining request bytes would precede the next request.
      if (isReusable && sent.isComplete) this.#becomeIdle()
      else this.destroy()
    }
    try {
      return await this.#respond(requestMethod(request), () => sent.continue(), finish)
    } catch (error) {
      finish(false)
      throw error
    }
  }

  async #respond(
    method: string,
    onContinue: () => void,
    finish: (isReusable: boolean) => void,
  ): Promise<ClientResponse> {
    const informational: number[] = []
    let head = await this.#readHead()
    for (; head.status < 200; head = await this.#readHead()) {
      checkInformational(head)
      informational.push(head.status)
      if (head.status === 100) onContinue()
    }
    const { status, fields } = head
    checkResponseHead(status, fields)
    const framing = responseFraming(method, status, fields)
    const body = this.#body(framing, (isComplete) => finish(isComplete && !closesConnection(fields)))
    return new StreamedResponse({ status, rawHeaders: fields, informational, body, abort: () => this.destroy() })
  }

  async #readHead(): Promise<ResponseHead> {
    if (await this.#reader.isAtEnd()) throw new IncompleteResponse('The connection ended without a response')
    return readHead(this.#reader)
  }

  /** Returns the body, and calls `finish` when it has been read, or immediately if it is empty. */
  #body(
    framing: ResponseFraming,
    finish: (isComplete: boolean) => void,
  ): AsyncGenerator<Uint8Array, readonly TestField[], void> {
    const isEmpty = framing === 'none' || (typeof framing === 'object' && framing.length === 0)
    if (!isEmpty) return this.#readBody(framing, finish)
    this.#checkNothingMore()
    finish(true)
    return readBody(this.#reader, 'none')
  }

  async *#readBody(
    framing: ResponseFraming,
    finish: (isComplete: boolean) => void,
  ): AsyncGenerator<Uint8Array, readonly TestField[], void> {
    let isComplete = false
    try {
      const trailers = yield* readBody(this.#reader, framing)
      this.#checkNothingMore()
      isComplete = true
      return trailers
    } finally {
      finish(isComplete)
    }
  }

  #becomeIdle(): void {
    this.#isIdle = true
    this.#owner.onIdle(this)
  }

  #checkNothingMore(): void {
    const bytes = this.#reader.bufferedBytes
    if (bytes > 0) throw new MalformedResponse(`${bytes} bytes after the end of the response`)
  }

  /** Reports bytes that arrive between requests, when the server may only close the connection. */
  #whileIdle(): void {
    if (!this.#isIdle) return
    const bytes = this.#socket.readableLength
    if (bytes > 0) this.#owner.onFault(new MalformedResponse(`The server sent ${bytes} bytes without a request`))
    this.destroy()
  }
}

function checkInformational({ status, fields }: ResponseHead): void {
  if (status === 101) throw new MalformedResponse('101 without an upgrade request')
  const framed = fields.find(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
  if (framed !== undefined) throw new MalformedResponse(`${framed[0]} in a ${status} response`)
}
