import type { OutgoingHttpHeaders } from 'node:http'
import { withCode } from '@fw/options'
import type { Context, Outcome } from '@fw/types'
import { BareResponse } from './bare.ts'
import { NodeError } from './node-error.ts'
import { NodeRequest } from './node-request.ts'
import { dataOf } from './response-chunk.ts'
import type { NodeSocket } from './node-socket.ts'
import {
  allFields,
  appendField,
  fieldNames,
  fieldList,
  fieldOf,
  type NodeFields,
  setField,
  setFields,
  trailerList,
} from './response-fields.ts'
import { keepMembers } from './own-members.ts'
import { attempt, ResponseOutput } from './response-output.ts'

type Callback = (error?: Error | null) => void

/** Shared by all responses, because few have callbacks. */
const NO_CALLBACKS: readonly Callback[] = []

/**
 * The response that middleware receives: an `http.ServerResponse` over a context. Its fields and status are those of the
 * response that the fw handler prepares.
 */
export class NodeResponse extends BareResponse {
  readonly req: NodeRequest
  /** Has no effect: on HTTP/1.1, the engine sends the standard reason phrase. HTTP/2 and HTTP/3 do not send a reason phrase. */
  statusMessage: string | undefined = undefined
  readonly #output: ResponseOutput
  #isDestroyed = false
  #isFinished = false
  #isClosed = false
  #callbacks: readonly Callback[] = NO_CALLBACKS

  constructor(ctx: Context) {
    super()
    this.#output = new ResponseOutput(ctx, this)
    this.req = new NodeRequest(
      ctx,
      () => this.#watch(),
      () => keepMembers(this, NodeResponse.prototype),
      (error) => this.#output.onRequestDestroyed(error),
    )
  }

  /** Returns the output of a response. Not a member, because middleware must not see it. */
  static outputOf(response: NodeResponse): ResponseOutput {
    return response.#output
  }

  /** Waits for the end of the exchange, which ends a pending call. */
  static watch(response: NodeResponse): void {
    response.#watch()
  }

  /** Reports whether middleware has replaced a method through which a response passes. */
  static isPatched(response: NodeResponse): boolean {
    return response.writeHead !== original.writeHead || NodeResponse.isBodyPatched(response)
  }

  /** Reports whether middleware has replaced `write` or `end`. */
  static isBodyPatched(response: NodeResponse): boolean {
    return response.write !== original.write || response.end !== original.end
  }

  get statusCode(): number {
    return this.#output.status
  }

  set statusCode(status: number) {
    if (status !== this.#output.status) this.#output.status = status
  }

  get headersSent(): boolean {
    return this.#output.isHeadWritten || this.#output.ctx.headSent
  }

  /** Truthy once the head is written, as `on-headers` and `express-session` test it. */
  get _header(): string | null {
    return this.headersSent ? `HTTP/1.1 ${this.statusCode}\r\n\r\n` : null
  }

  get finished(): boolean {
    return this.#output.isOver
  }

  get writable(): boolean {
    return true
  }

  get writableEnded(): boolean {
    return this.#output.isOver
  }

  get writableFinished(): boolean {
    return this.#isFinished
  }

  get writableLength(): number {
    return this.#output.bufferedBytes
  }

  get writableNeedDrain(): boolean {
    return this.#output.needsDrain
  }

  get writableHighWaterMark(): number {
    return 64 * 1024
  }

  get writableCorked(): number {
    return 0
  }

  get writableObjectMode(): boolean {
    return false
  }

  get destroyed(): boolean {
    return this.#isDestroyed
  }

  get closed(): boolean {
    return this.#isClosed
  }

  get errored(): null {
    return null
  }

  get socket(): NodeSocket {
    return this.req.socket
  }

  get connection(): NodeSocket {
    return this.req.socket
  }

  // `stream.finished()` recognizes a `ServerResponse` by these members.
  get _closed(): boolean {
    return this.#isClosed
  }

  get _sent100(): boolean {
    return false
  }

  get _defaultKeepAlive(): boolean {
    return true
  }

  get _removedConnection(): boolean {
    return false
  }

  get _removedContLen(): boolean {
    return false
  }

  get _removedTE(): boolean {
    return false
  }

  get _hasBody(): boolean {
    return this.#output.ctx.method !== 'HEAD'
  }

  override on(event: string | symbol, listener: (...args: never[]) => void): this {
    if (event !== 'drain') this.#watch()
    return super.on(event, listener as never)
  }

  override addListener(event: string | symbol, listener: (...args: never[]) => void): this {
    return this.on(event, listener)
  }

  override prependListener(event: string | symbol, listener: (...args: never[]) => void): this {
    this.#watch()
    return super.prependListener(event, listener as never)
  }

  setHeader(name: string, value: unknown): this {
    if (this.#canChange('set')) setField(this.#output.fields, name, value)
    return this
  }

  setHeaders(headers: Headers | ReadonlyMap<string, unknown>): this {
    if (!this.#canChange('set')) return this
    const fields = this.#output.fields
    const seen = new Set<string>()
    for (const [name, value] of headers) {
      // An iterator of `Headers` has an entry for each cookie.
      if (seen.has(name)) appendField(fields, name, value)
      else setField(fields, name, value)
      seen.add(name)
    }
    return this
  }

  appendHeader(name: string, value: unknown): this {
    if (this.#canChange('append')) appendField(this.#output.fields, name, value)
    return this
  }

  getHeader(name: string): string | string[] | undefined {
    const value = fieldOf(this.#output.fields, name)
    if (value !== undefined || name.toLowerCase() !== 'content-length') return value
    // Access logs read the length after the response.
    return this.#output.announcedBytes?.toString()
  }

  getHeaders(): OutgoingHttpHeaders {
    return allFields(this.#output.fields)
  }

  getHeaderNames(): string[] {
    return fieldNames(this.#output.fields)
  }

  /** Returns the names in lower case, because fw keeps no other form. */
  getRawHeaderNames(): string[] {
    return fieldNames(this.#output.fields)
  }

  hasHeader(name: string): boolean {
    return this.#output.fields.has(name)
  }

  removeHeader(name: string): void {
    if (this.#canChange('remove')) this.#output.fields.delete(name)
  }

  /** Sets the status and fields. The head is sent with the first byte of the body, or by `flushHeaders`. */
  writeHead(status: number, reason?: string | NodeFields, headers?: NodeFields): this {
    if (!this.#canChange('write')) return this
    const fields = typeof reason === 'string' ? headers : (reason ?? headers)
    if (typeof reason === 'string') this.statusMessage = reason
    this.statusCode = status
    if (fields !== undefined && fields !== null) setFields(this.#output.fields, fields)
    this.#output.isHeadWritten = true
    return this
  }

  _implicitHeader(): void {
    this.writeHead(this.statusCode)
  }

  flushHeaders(): void {
    if (!this.headersSent) this._implicitHeader()
    this.#output.flushHead()
  }

  write(chunk: string | Uint8Array, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    const done = typeof encoding === 'function' ? encoding : callback
    const data = dataOf(chunk, encoding)
    if (this.#output.isOver || this.#output.isDiscarding) {
      this.#rejectLate(done)
      return false
    }
    if (!this.#output.isHeadWritten) this._implicitHeader()
    const hasRoom = this.#output.write(data)
    if (done !== undefined) {
      this.#watch()
      void this.#callBack(done)
    }
    return hasRoom
  }

  end(chunk?: string | Uint8Array | Callback | null, encoding?: BufferEncoding | Callback, callback?: Callback): this {
    const done = [chunk, encoding, callback].find((each) => typeof each === 'function')
    const data =
      typeof chunk === 'function' || chunk === undefined || chunk === null ? undefined : dataOf(chunk, encoding)
    if (this.#output.isOver || this.#output.isDiscarding) {
      if (data !== undefined || done !== undefined) this.#rejectLate(done)
      return this
    }
    if (!this.#output.isHeadWritten) this._implicitHeader()
    if (done !== undefined) this.once('finish', done)
    this.#output.end(data)
    return this
  }

  addTrailers(headers: NodeFields): void {
    this.#output.trailers = trailerList(headers)
  }

  /** Does nothing: the engine sends 100 (Continue) when the body is first read. */
  writeContinue(callback?: () => void): void {
    if (callback !== undefined) process.nextTick(callback)
  }

  writeProcessing(callback?: () => void): void {
    this.writeInformation(102, {}, callback)
  }

  writeEarlyHints(hints: Record<string, string | string[]>, callback?: () => void): void {
    this.writeInformation(103, hints, callback)
  }

  /** Sends an informational response, if the protocol has them. */
  writeInformation(status: number, headers: NodeFields, callback?: () => void): void {
    this.#output.ctx.exchange.inform(status, fieldList(headers))
    if (callback !== undefined) process.nextTick(callback)
  }

  /** Ends the exchange in a way that shows the client that the response is incomplete. */
  destroy(error?: Error): this {
    if (this.#isDestroyed) return this
    this.#isDestroyed = true
    this.#watch()
    this.#output.ctx.exchange.abort(error)
    return this
  }

  /** Does nothing, because the limits of the server apply. */
  setTimeout(): this {
    return this
  }

  /** Does nothing: the engine sends the writes of one turn together. */
  cork(): void {}

  uncork(): void {}

  #watch(): void {
    this.#output.watch((outcome) => this.#finish(outcome))
  }

  #finish({ aborted }: Outcome): void {
    // A listener that is added in the same turn as `end()` must receive the events too.
    process.nextTick(() => {
      const { ctx } = this.#output
      this.#isDestroyed = true
      if (aborted) {
        this.#callAllBack(new NodeError('ECONNRESET', 'aborted'))
        attempt(ctx, () => this.req.onAbort())
      } else {
        this.#callAllBack()
        this.#isFinished = true
        attempt(ctx, () => this.emit('finish'))
      }
      this.#isClosed = true
      attempt(ctx, () => this.emit('close'))
      if (!aborted) attempt(ctx, () => this.req.onFinish())
    })
  }

  /** Calls back when the transport has accepted the bytes, together with the callbacks of other writes that wait for it. */
  async #callBack(done: Callback): Promise<void> {
    this.#callbacks = [...this.#callbacks, done]
    if (this.#callbacks.length > 1) return
    await this.#output.written()
    this.#callAllBack()
  }

  #callAllBack(error?: Error): void {
    const callbacks = this.#callbacks
    if (callbacks.length === 0) return
    this.#callbacks = NO_CALLBACKS
    for (const callback of callbacks) attempt(this.#output.ctx, () => callback(error))
  }

  /** @throws {Error} if the middleware itself has sent the head */
  #canChange(verb: string): boolean {
    if (this.#output.isSuperseded) return false
    if (!this.headersSent) return true
    throw withCode(
      'FW_RESPONSE_SENT',
      new Error(`Cannot ${verb} headers after they are sent to the client. Respond once per request.`),
    )
  }

  /** Reports bytes that are not sent. Like Node.js, emits an error only after the middleware itself has ended the response. */
  #rejectLate(callback: Callback | undefined): void {
    const isEnded = !this.#output.isDiscarding
    const error = isEnded
      ? new NodeError('ERR_STREAM_WRITE_AFTER_END', 'write after end')
      : new NodeError('ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed')
    process.nextTick(() => {
      callback?.(error)
      if (isEnded && this.listenerCount('error') > 0) this.emit('error', error)
    })
  }
}

/** The methods before middleware replaces them. */
const original: Pick<NodeResponse, 'writeHead' | 'write' | 'end'> = NodeResponse.prototype
