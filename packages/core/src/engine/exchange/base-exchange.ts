import { showType, showValue, withCode } from '@fw/options'
import type {
  Exchange,
  ExchangeTrace,
  FieldList,
  Outcome,
  ProtocolText,
  RequestBody,
  RequestHeaders,
  SharedChunk,
  UpgradedConnection,
} from '@fw/types'
import { withoutFraming } from '../fields/field-rules.ts'
import { traceFlushed } from '../tracing/request-trace.ts'
import type { BufferAccount } from '../budget/buffer-account.ts'
import { overloadedFields } from './begin-request.ts'
import { allowsBody, responseHead, type ResponseHead } from './response-head.ts'
import type { Tunnel } from './tunnel.ts'

const PENDING = 0
const STREAMING = 1
const COMPLETE = 2
/** A tunnel has been accepted. The exchange sends nothing more itself. */
const TUNNELING = 3
/**
 * Minimum length, in characters, of a string that is checked against the budget before its bytes are counted. This
 * order saves CPU time for refused bodies.
 */
const LONG_TEXT_CHARS = 16 * 1024
/** Status of a response that upgrades the connection. */
const SWITCHING = 101

/**
 * Enforces the response rules that all protocols share: one final head, no body where none is allowed, the announced
 * length, and one `onClose`. The subclass of each protocol writes the bytes.
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
  trace: ExchangeTrace | undefined = undefined

  #state = PENDING
  #isClosed = false
  #allowsBody = true
  #announced: number | undefined = undefined
  #waiting: (() => void)[] | undefined = undefined

  /**
   * Sends a complete response, then calls `settle(false)` when the transport has accepted it. `body` is `null` or not
   * empty.
   */
  protected abstract sendResponse(status: number, head: ResponseHead, body: Uint8Array | string | null): void
  /** Sends the head of a streamed response. */
  protected abstract sendHead(status: number, head: ResponseHead): void
  /** Sends a part of the body, which is not empty. Returns false if the caller should wait for `wake()`. */
  protected abstract sendData(chunk: Uint8Array): boolean
  /** Sends a part of the body that other exchanges send too. Returns false in the same cases as `sendData`. */
  protected sendShared(chunk: SharedChunk): boolean {
    return this.sendData(chunk.bytes)
  }
  /** Ends the body, then calls `settle(false)` when the transport has accepted all bytes. */
  protected abstract sendEnd(trailers: FieldList): void
  /** Aborts the exchange so that the peer detects an incomplete response. */
  protected abstract sendReset(error: Error | undefined): void
  /** Sends an informational (1xx) head. */
  protected abstract sendInformational(status: number, fields: FieldList): void

  get isOpen(): boolean {
    return this.#state === STREAMING && !this.#isClosed
  }

  /** Whether the exchange has ended. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Whether the application has written its complete response. */
  get isComplete(): boolean {
    return this.#state === COMPLETE
  }

  /** Whether the exchange has become a tunnel. */
  get isTunnel(): boolean {
    return this.#state === TUNNELING
  }

  get upgradeProtocol(): string | undefined {
    return undefined
  }

  /** Takes over the connection. `undefined` except for an HTTP/1.1 request with `Upgrade`. */
  get upgrade(): (() => UpgradedConnection) | undefined {
    return undefined
  }

  tunnel(_fields: FieldList): Tunnel {
    throw withCode(
      'FW_NO_TUNNEL',
      new TypeError(
        'exchange.tunnel: the request does not ask for a tunnel. Check exchange.upgradeProtocol, or respond with 426.',
      ),
    )
  }

  inform(status: number, fields: FieldList): void {
    // The engine sends 100 on the first read of the body, and 101 for an upgrade.
    if (!Number.isInteger(status) || status < 102 || status > 199) {
      throw withCode(
        'FW_INVALID_STATUS',
        new RangeError(
          `exchange.inform: status must be an integer from 102 to 199, got ${showValue(status)}. Call respond() for a final status.`,
        ),
      )
    }
    const kept = withoutFraming(fields)
    if (this.#state !== PENDING || this.#isClosed) return
    this.sendInformational(status, kept)
  }

  respond(status: number, fields: FieldList, body: Uint8Array | string | null): void {
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) throw notBytes(body)
    // Counting the bytes of a string takes as long as copying it.
    if (typeof body === 'string' && body.length >= LONG_TEXT_CHARS && this.refuses(status, body.length)) return
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
    // Any other object with a `byteLength` would send uninitialized memory.
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
      this.abort(
        withCode(
          'FW_WRONG_LENGTH',
          new Error(`The response ended after ${this.bodyBytes} of ${this.#announced} bytes`),
        ),
      )
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

  /** Whether the exchange must wait for the transport before it writes more. */
  protected abstract readonly isBlocked: boolean

  /**
   * Responds with 503 if a body of at least `minBytes`, which no other response sends, cannot be held. Reports whether
   * it responded.
   */
  refuses(status: number, minBytes: number): boolean {
    const account = this.accountBeyond(minBytes)
    if (account === undefined || account.hasRoomFor(minBytes) || !allowsBody(this.method, status)) return false
    if (!this.#begin(503)) return true
    this.#state = COMPLETE
    account.onRefused()
    try {
      this.sendOverloaded()
    } catch (error) {
      throw this.#abortedBy(error)
    }
    return true
  }

  /**
   * Returns the account that must have room for a body of at least `minBytes`; `undefined` if the body can be sent now.
   */
  protected accountBeyond(_minBytes: number): BufferAccount | undefined {
    return undefined
  }

  /** Sends a 503 without a body instead of a response that would exceed `maxBufferedBytes`. */
  protected sendOverloaded(): void {
    this.status = 503
    this.bodyBytes = 0
    this.sendResponse(503, responseHead(this.method, 503, overloadedFields(this.method), 0), null)
  }

  /**
   * Marks the exchange as answered with 101. The caller sends that response and then uses the connection without HTTP.
   *
   * @throws {Error} if the exchange has ended or has a response
   */
  protected switchProtocols(): void {
    if (!this.#begin(SWITCHING)) {
      throw withCode('FW_CONNECTION_CLOSED', new Error('Cannot upgrade: the connection is closed'))
    }
    this.#state = COMPLETE
  }

  /**
   * Marks the exchange as a tunnel. The caller sends the response.
   *
   * @throws {Error} if the exchange has ended or has a response
   */
  protected beginTunnel(status: number): void {
    if (this.#state !== PENDING) throw responseSent()
    if (!this.#begin(status)) {
      throw withCode('FW_CONNECTION_CLOSED', new Error('Cannot open a tunnel: the client has disconnected'))
    }
    this.#state = TUNNELING
  }

  /** Resolves the promises from `drained()`, because the transport accepts more bytes. */
  protected wake(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    for (const resolve of waiting) resolve()
  }

  /** Ends the exchange and calls `onClose`. Later calls have no effect. */
  protected settle(aborted: boolean): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.wake()
    try {
      // Either side can close a tunnel at any time, as after an upgrade.
      this.onClose?.({ status: this.status, bodyBytes: this.bodyBytes, aborted: aborted && !this.isTunnel })
    } catch (error) {
      // An error in the listener must not stop the engine. No caller could handle it.
      process.emitWarning(error instanceof Error ? error : String(error))
    }
    // After an upgrade, the new owner of the connection sends the response.
    if (this.trace !== undefined && !aborted && this.status !== SWITCHING && !this.isTunnel) this.awaitFlush(this.trace)
  }

  /** Calls `traceFlushed` when the transport has sent the last byte of the response. */
  protected awaitFlush(trace: ExchangeTrace): void {
    traceFlushed(trace)
  }

  /** Aborts the exchange after a failed write, which would otherwise leave it open. Returns the error. */
  #abortedBy(error: unknown): unknown {
    this.abort(error instanceof Error ? error : undefined)
    return error
  }

  /** Counts a part of the body. Returns false if it must not be sent. */
  #count(length: number): boolean {
    if (!this.isOpen || !this.#allowsBody || length === 0) return false
    const bytes = this.bodyBytes + length
    if (this.#announced !== undefined && bytes > this.#announced) {
      const limit = `at most ${this.#announced} bytes, its content-length`
      throw withCode(
        'FW_WRONG_LENGTH',
        new RangeError(`response: body must have ${limit}, got ${bytes} bytes. Correct or omit the field.`),
      )
    }
    this.bodyBytes = bytes
    return true
  }

  /** Claims the right to send the final response. Returns false if the exchange has ended. */
  #begin(status: number): boolean {
    if (this.#isClosed) return false
    if (this.#state !== PENDING) throw responseSent()
    this.status = status
    if (this.trace !== undefined) this.trace.timing.answered = performance.now()
    return true
  }
}

function responseSent(): Error {
  return withCode(
    'FW_RESPONSE_SENT',
    new Error('Cannot respond: a response was already sent. Respond once per request.'),
  )
}

/** Returns the error for a chunk that is not bytes, such as the strings that programs without type checks pass. */
function notBytes(chunk: unknown): TypeError {
  return withCode(
    'FW_INVALID_BODY',
    new TypeError(`exchange.write: chunk must be a Uint8Array, got ${showType(chunk)}. Use Buffer.from(text).`),
  )
}
