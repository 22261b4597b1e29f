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

/** Told when a connection is free again, or that the server sent what it must not. */
export interface ConnectionOwner {
  onIdle(connection: Connection): void
  onFault(error: Error): void
}

/** One socket, for one exchange at a time. */
export class Connection {
  readonly #socket: Socket
  readonly #reader: ByteReader
  readonly #authority: string
  readonly #owner: ConnectionOwner
  #isIdle = true

  /** @param socket Connected; nothing was read from it */
  constructor(socket: Socket, authority: string, owner: ConnectionOwner) {
    this.#socket = socket
    this.#reader = new ByteReader(new StreamSource(socket))
    this.#authority = authority
    this.#owner = owner
    socket.on('readable', () => this.#whileIdle())
  }

  /** Whether another request can be sent on it, as far as is known. */
  get isOpen(): boolean {
    return this.#socket.writable && !this.#socket.readableEnded
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /** Sends a request and reads the head of its response. */
  async exchange(request: ClientRequest): Promise<ClientResponse> {
    request.signal?.throwIfAborted()
    this.#isIdle = false
    const giveUp = (): void => void this.#socket.destroy(request.signal?.reason as Error)
    request.signal?.addEventListener('abort', giveUp, { once: true })
    const sent = sendRequest(this.#socket, request, this.#authority)
    const finish = (isReusable: boolean): void => {
      request.signal?.removeEventListener('abort', giveUp)
      // A response may overtake its request; the rest of the request would then be in the way of the next one.
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

  /** The body, telling `finish` how reading it ended: at once if there is nothing to read. */
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

  /** Between two requests a server may close, and nothing else. */
  #whileIdle(): void {
    if (!this.#isIdle) return
    const bytes = this.#socket.readableLength
    if (bytes > 0) this.#owner.onFault(new MalformedResponse(`${bytes} bytes that nobody asked for`))
    this.destroy()
  }
}

function checkInformational({ status, fields }: ResponseHead): void {
  if (status === 101) throw new MalformedResponse('A 101 although no upgrade was asked for')
  const framed = fields.find(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name))
  if (framed !== undefined) throw new MalformedResponse(`${framed[0]} on a ${status}`)
}
