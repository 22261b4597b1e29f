import type { FieldList, RequestBody, RequestHeaders } from '@fw/types'
import { AbortedError } from '../engine/errors.ts'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { httpDate } from '../engine/fields/http-date.ts'
import type { MemoryRequest } from './request.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { allowsBody } from '../engine/exchange/response-head.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { StreamBody } from './stream-body.ts'
import { wholeResponse } from './response.ts'

/** Bytes of a response that may wait for whoever reads the `Response`; then `write` asks for a pause. */
const MAX_WAITING_BYTES = 64 * 1024

/** A body that is there as a whole asks nothing of whoever supplied it. */
const NO_SUPPLY: BodySupply = { onWanted() {}, onFull() {}, onRoom() {} }

/** An exchange in memory: a request comes in, a `Response` goes out, both bodies as they are made. */
export class MemoryExchange extends BaseExchange {
  readonly protocol = 'HTTP/1.1'
  readonly headers: RequestHeaders
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined = undefined
  readonly #request: MemoryRequest
  #body: RequestBody | undefined = undefined
  #responded: Promise<Response> | undefined = undefined
  #waiting: PromiseWithResolvers<Response> | undefined = undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined = undefined

  constructor(request: MemoryRequest, remoteAddress?: string) {
    super()
    this.remoteAddress = remoteAddress
    this.#request = request
    this.headers = request.headers
    const { signal } = request
    if (signal?.aborted === true) this.#leave()
  }

  get scheme(): 'http' | 'https' {
    return this.#request.scheme
  }

  get method(): string {
    return this.#request.method
  }

  get target(): string {
    return this.#request.target
  }

  get authority(): string {
    return this.headers.get('host') ?? ''
  }

  get body(): RequestBody {
    return (this.#body ??= this.#makeBody())
  }

  /** The response, once its head is there. Rejects if the exchange ends without one. */
  get response(): Promise<Response> {
    this.#watchSignal()
    return (this.#responded ??= (this.#waiting = Promise.withResolvers()).promise)
  }

  get bufferedBytes(): number {
    return this.#controller === undefined ? 0 : Math.max(0, MAX_WAITING_BYTES - (this.#controller.desiredSize ?? 0))
  }

  protected get isBlocked(): boolean {
    return this.bufferedBytes >= MAX_WAITING_BYTES
  }

  protected sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void {
    // A copy, as a transport makes one: whoever gave the bytes may use them again.
    const sent = typeof body === 'string' || body === null ? body : new Uint8Array(body)
    this.#respond(() => wholeResponse(status, fieldsOf(head), sent))
    this.settle(false)
  }

  protected sendHead(status: number, head: ResponseHead): void {
    if (!allowsBody(this.method, status)) {
      this.#respond(() => wholeResponse(status, fieldsOf(head), null))
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
    this.#respond(() => new Response(body, { status, headers: headersOf(head) }))
  }

  protected sendData(chunk: Uint8Array): boolean {
    // A copy, as in `sendResponse`.
    this.#controller?.enqueue(new Uint8Array(chunk))
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
    // A `Response` has no place for informational responses.
  }

  protected override settle(aborted: boolean): void {
    // One that goes with the request need not be left in order, which takes longer than finding a route.
    if (this.#request.request === undefined) this.#request.signal?.removeEventListener('abort', this.#leave)
    // A body that nobody has asked for has to be let go of as well.
    const body = this.#request.body instanceof ReadableStream ? this.body : undefined
    if (body instanceof StreamBody) body.stop(aborted ? 'The client went away' : 'The exchange is over')
    super.settle(aborted)
  }

  #makeBody(): RequestBody {
    const { body } = this.#request
    if (body instanceof ReadableStream) {
      const announced = this.headers.get('content-length')
      return new StreamBody(body, announced === null ? undefined : Number(announced))
    }
    const whole = new ReceivedBody(body?.byteLength ?? 0, Infinity, NO_SUPPLY)
    if (body !== null) whole.push(body)
    whole.finish()
    return whole
  }

  /** An exchange that is over by the time its response is asked for, as many are, is never watched, which costs time. */
  #watchSignal(): void {
    const { signal } = this.#request
    if (this.isClosed || signal === undefined) return
    if (signal.aborted) this.#leave()
    else signal.addEventListener('abort', this.#leave)
  }

  /** The client goes away. */
  readonly #leave = (): void => {
    if (this.isClosed) return
    const { signal } = this.#request
    const reason: unknown =
      signal?.aborted === true ? signal.reason : new AbortedError('The body of the Response was cancelled')
    this.#fail(reason)
    this.settle(true)
  }

  #fail(reason: unknown): void {
    if (this.#waiting !== undefined) this.#waiting.reject(reason)
    else if (this.#responded === undefined) {
      this.#responded = Promise.reject(reason)
      // Whoever asks for the response is told.
      this.#responded.catch(() => {})
    }
    this.#controller?.error(reason)
  }

  #respond(make: () => Response): void {
    try {
      const response = make()
      if (this.#waiting === undefined) this.#responded = Promise.resolve(response)
      else this.#waiting.resolve(response)
    } catch (error) {
      // A `Response` has no status above 599.
      this.#fail(error)
    }
  }
}

/** The fields of a response as they would be on the wire. */
function fieldsOf({ fields, contentLength, hasDate }: ResponseHead): FieldList {
  const all = [...fields]
  if (contentLength !== undefined) all.push('content-length', String(contentLength))
  if (!hasDate) all.push('date', httpDate())
  return all
}

function headersOf(head: ResponseHead): Headers {
  const headers = new Headers()
  const fields = fieldsOf(head)
  for (let i = 0; i < fields.length; i += 2) headers.append(fields[i] ?? '', fields[i + 1] ?? '')
  return headers
}
