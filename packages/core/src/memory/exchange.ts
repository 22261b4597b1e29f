import { withCode } from '@fw/options'
import type { FieldList, RequestBody, RequestHeaders } from '@fw/types'
import { AbortedError, exchangeAborted } from '../engine/errors.ts'
import { BaseExchange } from '../engine/exchange/base-exchange.ts'
import { httpDate } from '../engine/fields/http-date.ts'
import type { MemoryRequest } from './request.ts'
import { ReceivedBody, type BodySupply } from '../engine/exchange/received-body.ts'
import { allowsBody } from '../engine/exchange/response-head.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import { StreamBody } from './stream-body.ts'
import { wholeResponse } from './response.ts'

/**
 * Maximum response bytes to buffer until the caller reads the `Response`. Above it, `write` signals the handler to
 * pause.
 */
const MAX_WAITING_BYTES = 64 * 1024

/** Callbacks for a body that is completely in memory, which never has to be requested, paused or resumed. */
const NO_SUPPLY: BodySupply = { onWanted() {}, onFull() {}, onRoom() {} }

/** Answers a request with a `Response`, without a network connection. Both bodies can be streams. */
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

  /** The response, as soon as its head is available. Rejects if the exchange ends without one. */
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
    // Copy the bytes, as a transport does, because the caller can reuse its buffer.
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
    // Copy the bytes, as in `sendResponse`.
    this.#controller?.enqueue(new Uint8Array(chunk))
    return !this.isBlocked
  }

  protected sendEnd(): void {
    this.#controller?.close()
    this.settle(false)
  }

  protected sendReset(error: Error | undefined): void {
    const failure = withCode(
      'FW_FETCH_FAILED',
      new TypeError('The server ended the exchange before it was complete', { cause: error }),
    )
    this.#fail(failure)
  }

  protected sendInformational(): void {
    // A `Response` cannot contain informational responses.
  }

  protected override settle(aborted: boolean): void {
    // Skip this for a signal that is garbage-collected together with its `Request`, because removing a listener takes
    // longer than routing.
    if (this.#request.request === undefined) this.#request.signal?.removeEventListener('abort', this.#leave)
    // Create the body even if no handler has read it, so that its stream is released too.
    const body = this.#request.body instanceof ReadableStream ? this.body : undefined
    if (body instanceof StreamBody) body.stop(aborted ? exchangeAborted() : new AbortedError('The exchange has ended'))
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

  /** Listens for the abort signal. Skips exchanges that have already ended, which is common, to save time. */
  #watchSignal(): void {
    const { signal } = this.#request
    if (this.isClosed || signal === undefined) return
    if (signal.aborted) this.#leave()
    else signal.addEventListener('abort', this.#leave)
  }

  /** Ends the exchange because the client disconnected. */
  readonly #leave = (): void => {
    if (this.isClosed) return
    const { signal } = this.#request
    const reason: unknown =
      signal?.aborted === true ? signal.reason : new AbortedError('The body of the Response was canceled')
    this.#fail(reason)
    this.settle(true)
  }

  #fail(reason: unknown): void {
    if (this.#waiting !== undefined) this.#waiting.reject(reason)
    else if (this.#responded === undefined) {
      this.#responded = Promise.reject(reason)
      // Prevent an unhandled rejection. A caller that reads `response` later still receives the error.
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
      // The `Response` constructor rejects a status above 599.
      this.#fail(error)
    }
  }
}

/** Returns the header fields that a network response would have. */
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
