import type { RequestBody, RequestHeaders } from '@fw/types'
import { AbortedError } from './aborted-error.ts'
import { BaseExchange } from './base-exchange.ts'
import { FieldListHeaders } from './field-list-headers.ts'
import { httpDate } from './http-date.ts'
import { RequestSupply } from './request-supply.ts'
import { allowsBody } from './response.ts'
import type { ResponseHead } from './response-head.ts'

/** Octets of an answer that may wait for whoever reads the `Response`; then `write` asks for a pause. */
const MAX_WAITING_BYTES = 64 * 1024

/** An exchange in memory: a `Request` comes in, a `Response` goes out, both bodies as they are made. */
export class MemoryExchange extends BaseExchange {
  readonly protocol = 'HTTP/1.1'
  readonly scheme: 'http' | 'https'
  readonly method: string
  readonly target: string
  readonly authority: string
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly remoteAddress: string | undefined = undefined
  readonly remotePort: number | undefined = undefined
  /** The answer, once its head is there. Rejects if the exchange ends without one. */
  readonly response: Promise<Response>
  readonly #supply: RequestSupply
  readonly #signal: AbortSignal
  readonly #answer: PromiseWithResolvers<Response> = Promise.withResolvers()
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined

  constructor(request: Request) {
    super()
    const url = new URL(request.url)
    this.scheme = url.protocol === 'https:' ? 'https' : 'http'
    this.method = request.method
    this.target = url.pathname + url.search
    this.authority = url.host
    this.headers = new FieldListHeaders(['host', url.host, ...[...request.headers].flat()])
    this.#supply = new RequestSupply(request, MAX_WAITING_BYTES)
    this.body = this.#supply.body
    this.response = this.#answer.promise
    this.#signal = request.signal
    if (this.#signal.aborted) this.#leave()
    else this.#signal.addEventListener('abort', this.#leave)
  }

  get bufferedBytes(): number {
    return this.#controller === undefined ? 0 : Math.max(0, MAX_WAITING_BYTES - (this.#controller.desiredSize ?? 0))
  }

  protected get isBlocked(): boolean {
    return this.bufferedBytes >= MAX_WAITING_BYTES
  }

  protected sendAnswer(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    const octets = typeof body === 'string' ? Buffer.from(body) : body
    this.#respond(status, head, octets === null ? null : Uint8Array.from(octets))
    this.settle(false)
  }

  protected sendHead(status: number, head: ResponseHead): void {
    if (!allowsBody(this.method, status)) {
      this.#respond(status, head, null)
      return
    }
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.wake(),
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: MAX_WAITING_BYTES }),
    )
    this.#respond(status, head, body)
  }

  protected sendData(chunk: Uint8Array): boolean {
    // A copy, as a transport makes one: whoever writes may use the octets again once the write is done.
    this.#controller?.enqueue(Uint8Array.from(chunk))
    return !this.isBlocked
  }

  protected sendEnd(): void {
    this.#controller?.close()
    this.settle(false)
  }

  protected sendReset(error: Error | undefined): void {
    const failure = new TypeError('The server ended the exchange before it was complete', { cause: error })
    this.#fail(failure)
  }

  protected sendInformational(): void {
    // A `Response` has no place for informational answers.
  }

  protected override settle(aborted: boolean): void {
    this.#signal.removeEventListener('abort', this.#leave)
    this.#supply.stop(new AbortedError(aborted ? 'The client went away' : 'The exchange is over'))
    super.settle(aborted)
  }

  /** The client goes away. */
  readonly #leave = (): void => {
    if (this.isClosed) return
    const reason: unknown = this.#signal.aborted
      ? this.#signal.reason
      : new AbortedError('The body of the Response was cancelled')
    this.#fail(reason)
    this.settle(true)
  }

  #fail(reason: unknown): void {
    this.#answer.reject(reason)
    this.#controller?.error(reason)
  }

  #respond(
    status: number,
    head: ResponseHead,
    body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  ): void {
    const headers = new Headers()
    for (let i = 0; i < head.fields.length; i += 2) headers.append(head.fields[i] ?? '', head.fields[i + 1] ?? '')
    if (head.contentLength !== undefined) headers.set('content-length', String(head.contentLength))
    if (!head.hasDate) headers.set('date', httpDate())
    try {
      this.#answer.resolve(new Response(body, { status, headers }))
    } catch (error) {
      // A `Response` has no status above 599.
      this.#answer.reject(error)
    }
  }
}
