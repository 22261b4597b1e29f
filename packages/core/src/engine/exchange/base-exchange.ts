import { showType, showValue } from '@fw/options'
import type {
  Exchange,
  FieldList,
  Outcome,
  ProtocolText,
  RequestBody,
  RequestHeaders,
  SharedChunk,
  UpgradedConnection,
} from '@fw/types'
import { withoutFraming } from '../fields/field-rules.ts'
import { OVERLOADED_FIELDS } from './begin-request.ts'
import { responseHead, type ResponseHead } from './response-head.ts'

const PENDING = 0
const STREAMING = 1
const COMPLETE = 2

/**
 * The rules of a response that are the same on every protocol: one head, no body where none is allowed, the length
 * that was announced, one `onClose`. An engine's exchange supplies the bytes.
 */
export abstract class BaseExchange implements Exchange {
  abstract readonly protocol: ProtocolText
  abstract readonly scheme: 'http' | 'https'
  abstract readonly method: string
  abstract readonly target: string
  abstract readonly authority: string
  abstract readonly headers: RequestHeaders
  abstract readonly body: RequestBody
  abstract readonly remoteAddress: string | undefined
  abstract readonly remotePort: number | undefined
  abstract readonly bufferedBytes: number

  status = 0
  bodyBytes = 0
  onClose: ((outcome: Outcome) => void) | undefined = undefined

  #state = PENDING
  #isClosed = false
  #allowsBody = true
  #announced: number | undefined = undefined
  #waiting: (() => void)[] | undefined = undefined

  /** Sends a whole response; calls `settle(false)` once the transport has it. `body` is never empty. */
  protected abstract sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void
  /** Sends the head of a response whose body follows. */
  protected abstract sendHead(status: number, head: ResponseHead): void
  /** Sends body bytes, never none; false when the transport wants a pause, ended by `wake()`. */
  protected abstract sendData(chunk: Uint8Array): boolean
  /** As `sendData`, for bytes that other exchanges send too. */
  protected sendShared(chunk: SharedChunk): boolean {
    return this.sendData(chunk.bytes)
  }
  /** Ends the body; calls `settle(false)` once the transport has everything. */
  protected abstract sendEnd(trailers: FieldList): void
  /** Ends the exchange so that the peer can tell it is incomplete. */
  protected abstract sendReset(error: Error | undefined): void
  /** Sends an informational head. */
  protected abstract sendInformational(status: number, fields: FieldList): void

  get isOpen(): boolean {
    return this.#state === STREAMING && !this.#isClosed
  }

  /** Whether the exchange is over. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether the application has given its whole response. */
  get isComplete(): boolean {
    return this.#state === COMPLETE
  }

  /** Only one protocol has it. */
  get upgrade(): (() => UpgradedConnection) | undefined {
    return undefined
  }

  inform(status: number, fields: FieldList): void {
    // 100 is sent when the body is first read, 101 belongs to upgrades.
    if (!Number.isInteger(status) || status < 102 || status > 199) {
      throw new RangeError(`exchange.inform: status must be an integer from 102 to 199, got ${showValue(status)}.`)
    }
    const kept = withoutFraming(fields)
    if (this.#state !== PENDING || this.#isClosed) return
    this.sendInformational(status, kept)
  }

  respond(status: number, fields: FieldList, body: Uint8Array | string | null): void {
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) throw notBytes(body)
    const length = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    const head = responseHead(this.method, status, fields, length)
    if (!this.#begin(status)) return
    const sent = head.allowsBody && length > 0 ? body : null
    if (sent !== null) this.bodyBytes = length
    this.#state = COMPLETE
    try {
      this.sendResponse(status, head, sent)
    } catch (error) {
      throw this.#abortedBy(error)
    }
  }

  start(status: number, fields: FieldList): void {
    const head = responseHead(this.method, status, fields, undefined)
    if (!this.#begin(status)) return
    this.#allowsBody = head.allowsBody
    this.#announced = head.allowsBody ? head.contentLength : undefined
    this.#state = STREAMING
    try {
      this.sendHead(status, head)
    } catch (error) {
      throw this.#abortedBy(error)
    }
  }

  write(chunk: Uint8Array): boolean {
    // Of anything else with a length, memory that nobody has written to would be sent.
    if (!(chunk instanceof Uint8Array)) throw notBytes(chunk)
    return this.#count(chunk.byteLength) ? this.sendData(chunk) : true
  }

  writeShared(chunk: SharedChunk): boolean {
    return this.#count(chunk.bytes.byteLength) ? this.sendShared(chunk) : true
  }

  drained(): Promise<void> {
    if (this.#isClosed || !this.isBlocked) return Promise.resolve()
    return new Promise((resolve) => (this.#waiting ??= []).push(resolve))
  }

  end(trailers: FieldList = []): void {
    if (!this.isOpen) return
    const kept = withoutFraming(trailers)
    if (this.#announced !== undefined && this.bodyBytes < this.#announced) {
      this.abort(new Error(`The response ended after ${this.bodyBytes} of ${this.#announced} bytes`))
      return
    }
    this.#state = COMPLETE
    try {
      this.sendEnd(kept)
    } catch (error) {
      throw this.#abortedBy(error)
    }
  }

  abort(error?: Error): void {
    if (this.#isClosed) return
    this.sendReset(error)
    this.settle(true)
  }

  /** Whether the transport asked for a pause that has not ended. */
  protected abstract readonly isBlocked: boolean

  /** Sends a brief 503 instead of the response that `sendResponse` was given: the process cannot hold it. */
  protected sendOverloaded(): void {
    this.status = 503
    this.bodyBytes = 0
    this.sendResponse(503, responseHead(this.method, 503, OVERLOADED_FIELDS, 0), null)
  }

  /** The exchange goes on outside of HTTP: its one response is 101, whoever sends it. */
  protected switchProtocols(): void {
    if (!this.#begin(101)) throw new Error('Cannot upgrade: the connection is closed')
    this.#state = COMPLETE
  }

  /** The transport takes more: those who wait in `drained()` go on. */
  protected wake(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    for (const resolve of waiting) resolve()
  }

  /** The exchange is over; the first call counts. */
  protected settle(aborted: boolean): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.wake()
    try {
      this.onClose?.({ status: this.status, bodyBytes: this.bodyBytes, aborted })
    } catch (error) {
      // The engine goes on whatever a listener does; it has nobody else to tell.
      process.emitWarning(error instanceof Error ? error : String(error))
    }
  }

  /** A response that the transport refuses half-way must not stay open for ever. */
  #abortedBy(error: unknown): unknown {
    this.abort(error instanceof Error ? error : undefined)
    return error
  }

  /** Counts bytes of the body; false if they are not to be sent. */
  #count(length: number): boolean {
    if (!this.isOpen || !this.#allowsBody || length === 0) return false
    const bytes = this.bodyBytes + length
    if (this.#announced !== undefined && bytes > this.#announced) {
      const most = `at most ${this.#announced} bytes as in content-length`
      throw new RangeError(`response: body must have ${most}, got ${bytes} bytes.`)
    }
    this.bodyBytes = bytes
    return true
  }

  /** Takes the one chance to answer; false if nobody is there any more. */
  #begin(status: number): boolean {
    if (this.#isClosed) return false
    if (this.#state !== PENDING) throw new Error('Cannot answer: a response was sent already')
    this.status = status
    return true
  }
}

/** Programs without types give text, as elsewhere, and buffers. */
function notBytes(chunk: unknown): TypeError {
  return new TypeError(`exchange.write: chunk must be a Uint8Array, got ${showType(chunk)}. Use Buffer.from(text).`)
}
