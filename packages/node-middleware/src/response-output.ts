import type { EventEmitter } from 'node:events'
import type { Context, OutgoingResponse, Outcome, ResponseBody, ResponseHeaders } from '@fw/types'
import { replacedStatus, sendableStatus } from './sendable-status.ts'
import type { Sink } from './sink.ts'

/** Middleware that has neither called `next` nor responded. */
export interface PendingCall {
  /** Reports that the response is complete. */
  onResponse(): void
  /** Reports that the exchange is over. */
  onOutcome(outcome: Outcome): void
  /** Reports that the response cannot be sent. */
  onError(error: unknown): void
}

/** Number of bytes waiting for the client at which `write` asks the caller to pause. */
const MAX_WAITING_BYTES = 64 * 1024

/**
 * Sends the bytes that middleware writes. They become the prepared response if the middleware ends a response that it has not
 * started. Otherwise they go to the client. While the response of an fw handler passes through patched methods, they go to a sink.
 */
export class ResponseOutput {
  readonly ctx: Context
  /** Whether `writeHead` was called. Fields can no longer change, although the head might not be sent yet. */
  isHeadWritten = false
  /** Whether `end` was called. */
  isEnded = false
  /** Whether a filter is registered that calls the patched methods. */
  isFiltered = false
  /** Whether middleware responds itself, so that its bytes have passed through the patched methods already. */
  isDirect = false
  /** Whether a response could not be started. The rest of it is discarded. */
  isRefused = false
  /** Whether the response ended before an error replaced it. Most patched methods work only once. */
  isSpent = false
  /** Whether the caller of `write` waits for `drain`. */
  needsDrain = false
  /** Whether the body is sent as a whole, so that the engine announces its length. */
  isWhole = false
  outcome: Outcome | undefined = undefined
  trailers: readonly string[] | undefined = undefined
  sink: Sink | undefined = undefined
  /** The response of an fw handler, while it passes through patched methods. */
  outgoing: OutgoingResponse | undefined = undefined
  call: PendingCall | undefined = undefined
  readonly #emitter: EventEmitter
  /** The status that middleware has set, if another one is sent for it. */
  #given: { readonly value: unknown; readonly sent: number } | undefined = undefined
  #body: ResponseBody | undefined = undefined
  #isWatching = false
  #onOutcome: (outcome: Outcome) => void = ignore

  constructor(ctx: Context, emitter: EventEmitter) {
    this.ctx = ctx
    this.#emitter = emitter
  }

  /** The fields of the response. */
  get fields(): ResponseHeaders {
    return this.outgoing === undefined ? this.ctx.responseHeaders : this.outgoing.headers
  }

  /** The status as middleware has set it, even if it cannot be sent. */
  get status(): number {
    const status = this.outgoing === undefined ? this.ctx.status : this.outgoing.status
    return this.#given?.sent === status ? (this.#given.value as number) : status
  }

  /** Never throws, because middleware sets the status in event listeners. An error there would end the process. */
  set status(value: unknown) {
    if (this.ctx.headSent) return
    const sent = sendableStatus(value)
    const given = value === sent ? undefined : { value, sent }
    this.#given = given
    if (this.outgoing !== undefined) this.outgoing.status = sent
    else this.ctx.status = sent
    if (given === undefined) return
    const error = replacedStatus(value, sent)
    if (error === undefined) return
    this.ctx.onFinish((outcome) => {
      if (this.#given === given && outcome.status === sent) throw error
    })
  }

  /** The length that the engine announced for a whole body. The prepared response lacks the field. */
  get announcedBytes(): number | undefined {
    return this.isWhole && this.ctx.headSent ? this.ctx.exchange.bodyBytes : undefined
  }

  /** Whether the exchange is over, or the response complete. */
  get isOver(): boolean {
    const { exchange } = this.ctx
    return this.isEnded || this.outcome !== undefined || (exchange.status !== 0 && !exchange.isOpen)
  }

  /**
   * Whether a response from elsewhere is sent: an error page, that of a timeout or that of an fw handler. Changes then have no
   * effect. They must not throw, because middleware makes them in timers and event listeners.
   */
  get isSuperseded(): boolean {
    return this.isRefused || (this.ctx.headSent && !this.isDirect)
  }

  /** Whether written bytes are discarded. */
  get isDiscarding(): boolean {
    if (this.sink !== undefined && !this.sink.isEnded) return false
    return this.isSuperseded || (this.isOver && !this.isEnded)
  }

  /** Whether nothing waits for the middleware any more: the client has disconnected, or the timeout of the route has expired. */
  get isAbandoned(): boolean {
    if (this.outcome?.aborted === true) return true
    // Other requests have no timeout. Do not create a signal for them.
    return this.ctx.route?.options.timeoutMs !== undefined && this.ctx.signal.aborted
  }

  /** The number of written bytes that the transport has not accepted. */
  get bufferedBytes(): number {
    return (this.#body ?? this.ctx.exchange).bufferedBytes
  }

  /** Waits for the end of the exchange. @param onOutcome Called once, when it is over */
  watch(onOutcome: (outcome: Outcome) => void): void {
    this.#onOutcome = onOutcome
    if (this.#isWatching) return
    this.#isWatching = true
    this.ctx.onFinish((outcome) => {
      this.outcome = outcome
      this.needsDrain = false
      this.sink?.end()
      this.#onOutcome(outcome)
      this.call?.onOutcome(outcome)
    })
  }

  /** Sends a piece of the body. @returns False if the caller should wait for `drain` */
  write(chunk: string | Uint8Array): boolean {
    if (this.sink !== undefined) {
      if (chunk.length > 0) this.sink.write(chunk)
      return this.bufferedBytes < MAX_WAITING_BYTES || this.#awaitDrain(this.ctx.exchange)
    }
    const body = this.#started()
    if (body === undefined || chunk.length === 0) return true
    try {
      return body.write(bytesOf(chunk)) || this.#awaitDrain(body)
    } catch (error) {
      this.#fail(error)
      return true
    }
  }

  /** Aborts the exchange if the middleware that destroyed the request does not respond: no response would ever follow. */
  onRequestDestroyed(error: Error | null): void {
    // The error that destroyed the request can still become an error page.
    setImmediate(() => {
      if (this.call === undefined || this.isOver || this.isDirect || this.ctx.headSent) return
      this.ctx.exchange.abort(error ?? undefined)
    })
  }

  /** Ends the response. @param last The last piece of the body, or the whole body */
  end(last: string | Uint8Array | undefined): void {
    this.isEnded = true
    const { sink } = this
    if (sink !== undefined) {
      if (last !== undefined && last.length > 0) sink.write(last)
      sink.end()
    } else if (this.#body === undefined && this.call !== undefined && this.trailers === undefined) this.#prepare(last)
    else {
      if (last !== undefined) this.write(last)
      this.#endBody()
    }
    this.call?.onResponse()
  }

  /** Sends the head now. */
  flushHead(): void {
    if (this.sink === undefined) this.#started()
  }

  /** Sends a prepared response now, because the middleware continues after it has ended the response. */
  commit(): void {
    if (this.isEnded && this.isDirect && this.#body === undefined && !this.ctx.headSent) this.#started()?.end()
  }

  /** Forgets a response that was not sent, because an error response replaces it. */
  reset(): void {
    if (this.ctx.headSent) return
    if (this.isEnded) this.isSpent = true
    this.isHeadWritten = this.isEnded = this.isDirect = this.isWhole = false
    this.trailers = undefined
  }

  /** Resolves when the transport has accepted the bytes. */
  async written(): Promise<void> {
    const body = this.#body ?? this.ctx.exchange
    if (body.bufferedBytes > 0) await body.drained()
  }

  /** Prepares a response with a whole body, which is sent when the outermost middleware returns. */
  #prepare(body: string | Uint8Array | undefined): void {
    const { ctx } = this
    this.isDirect = this.isWhole = true
    try {
      if (body === undefined || body.length === 0) {
        ctx.empty(ctx.status)
        return
      }
      const hasType = ctx.responseHeaders.has('content-type')
      if (typeof body === 'string') ctx.text(body)
      else ctx.bytes(body)
      // Node.js adds no type to a response without one.
      if (!hasType) ctx.responseHeaders.delete('content-type')
    } catch (error) {
      this.#fail(error)
    }
  }

  #started(): ResponseBody | undefined {
    if (this.#body !== undefined || this.isSuperseded) return this.#body
    this.isDirect = true
    try {
      this.#body = this.ctx.startResponse()
    } catch (error) {
      this.isDirect = false
      this.isRefused = true
      this.#fail(error)
    }
    return this.#body
  }

  #endBody(): void {
    const body = this.#started()
    try {
      body?.end(this.trailers)
    } catch (error) {
      // Without the abort, a client would wait for the end of the body.
      this.#fail(error)
      body?.abort()
    }
  }

  #awaitDrain(body: ResponseBody): false {
    if (this.needsDrain) return false
    this.needsDrain = true
    void this.#emitDrain(body)
    return false
  }

  async #emitDrain(body: ResponseBody): Promise<void> {
    await body.drained()
    if (!this.needsDrain) return
    this.needsDrain = false
    attempt(this.ctx, () => this.#emitter.emit('drain'))
  }

  #fail(error: unknown): void {
    if (this.call !== undefined) this.call.onError(error)
    else if (!this.isAbandoned) reportLate(this.ctx, error)
  }
}

/**
 * Logs an error for which no caller waits any more. The application logs what an `onFinish` listener throws, and a context
 * has no other way to its log.
 */
export function reportLate(ctx: Context, error: unknown): void {
  ctx.onFinish(() => {
    throw error
  })
}

/** Runs listeners. An error from one of them is logged, so that the caller can continue. */
export function attempt(ctx: Context, run: () => unknown): void {
  try {
    run()
  } catch (error) {
    reportLate(ctx, error)
  }
}

function bytesOf(chunk: string | Uint8Array): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

function ignore(): void {}
