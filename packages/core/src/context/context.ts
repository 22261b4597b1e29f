import type {
  BodyDecoder,
  BodySource,
  ContextToken,
  Cookies,
  Exchange,
  MultipartOptions,
  MultipartPart,
  Outcome,
  Params,
  ProtocolText,
  RequestHeaders,
  ResponseBody,
  ResponseFilter,
  ResponseHeaders,
  ResponseInit,
  RouteInfo,
  Validated,
} from '@fw/types'
import { preferred } from './accepts.ts'
import { CLIENT_LEFT, exchangeAborted } from '../engine/errors.ts'
import { type BodyReader, bodyReaderOf, parseUrlencoded } from './body-reader.ts'
import { clientAddressOf, type ContextHost } from './context-host.ts'
import { ContextValues, missingValue } from './context-values.ts'
import { ContextCookies } from './cookies.ts'
import { notifyAll, withAdded } from './listeners.ts'
import { originOf, schemeOf } from './origin.ts'
import { missingExtension } from './missing-extension.ts'
import { readParts } from './multipart.ts'
import { startBody } from '../response/filtered-response.ts'
import { checkFilter } from '../response/outgoing.ts'
import { PreparedResponse } from '../response/prepared-response.ts'
import type { RequestTarget } from '../engine/semantics/request-target.ts'
import * as results from '../response/handler-result.ts'
import { makeRequest } from './standard-request.ts'
import { NOTHING_VALID } from './nothing-valid.ts'

/** Implements `Context` for one request, with members for the application. Creates expensive members on first access. */
export class RequestContext {
  readonly exchange: Exchange
  prepared: PreparedResponse = new PreparedResponse(this)
  readonly route: RouteInfo | undefined
  readonly params: Params
  /** The routes of the path for every method, for OPTIONS and for a request without a route. */
  routesOfPath: readonly RouteInfo[] | undefined = undefined
  /** The validated parts of the request. The application sets them before the handler runs. */
  valid: Validated = NOTHING_VALID
  filters: readonly ResponseFilter[] | undefined = undefined
  /** The body that the handler started. */
  started: ResponseBody | undefined = undefined
  /** The trace of the request, set only while requests are traced. */
  trace: { error?: unknown } | undefined = undefined
  readonly #target: RequestTarget
  readonly #host: ContextHost<RequestContext>
  readonly #serialize: results.Serialize
  #query: URLSearchParams | undefined = undefined
  #reader: BodyReader | undefined = undefined
  #request: Request | undefined = undefined
  #values: ContextValues | undefined = undefined
  #cookies: Cookies | undefined = undefined
  #aborter: AbortController | undefined = undefined
  #listeners: readonly ((outcome: Outcome) => void)[] | undefined = undefined
  #drainListeners: readonly (() => void)[] | undefined = undefined
  #outcome: Outcome | undefined = undefined
  #timeout: Error | undefined = undefined

  constructor(
    exchange: Exchange,
    target: RequestTarget,
    route: RouteInfo | undefined,
    params: Params,
    host: ContextHost<RequestContext>,
    serialize: results.Serialize = results.jsonText,
  ) {
    this.exchange = exchange
    this.#target = target
    this.route = route
    this.params = params
    this.#host = host
    this.#serialize = serialize
    // V8 treats a function literal in the assignment as a method and allocates it in old space. The function would then
    // keep the whole request out of young-generation collection.
    const finish = (outcome: Outcome): void => this.#finish(outcome)
    // Set it now, because the exchange can end before the handler adds a listener.
    exchange.onClose = finish
  }

  get protocol(): ProtocolText {
    return this.exchange.protocol
  }

  get method(): string {
    return this.exchange.method
  }

  get origin(): string {
    return originOf(this.exchange, this.#host.trust, this.#host.allowsHost)
  }

  get scheme(): 'http' | 'https' {
    return schemeOf(this.exchange, this.#host.trust)
  }

  get path(): string {
    return this.#target.path
  }

  get rawQuery(): string {
    return this.#target.rawQuery
  }

  get pathRoutes(): readonly RouteInfo[] {
    return this.routesOfPath ?? (this.route === undefined ? [] : [this.route])
  }

  get query(): URLSearchParams {
    return (this.#query ??= parseUrlencoded(this.#target.rawQuery))
  }

  get headers(): RequestHeaders {
    return this.exchange.headers
  }

  get cookies(): Cookies {
    return (this.#cookies ??= new ContextCookies(this))
  }

  accepts(...types: readonly string[]): string | null {
    return preferred('type', types, this.exchange.headers)
  }

  acceptsLanguage(...languages: readonly string[]): string | null {
    return preferred('language', languages, this.exchange.headers)
  }

  acceptsEncoding(...codings: readonly string[]): string | null {
    return preferred('encoding', codings, this.exchange.headers)
  }

  get request(): Request {
    return (this.#request ??= makeRequest(this, this.#body))
  }

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController()
      if (this.#timeout !== undefined) this.#aborter.abort(this.#timeout)
      if (this.isAborted) this.#aborter.abort(exchangeAborted())
    }
    return this.#aborter.signal
  }

  get remoteAddress(): string | undefined {
    return this.exchange.remoteAddress
  }

  get clientAddress(): string | undefined {
    return clientAddressOf(this.exchange, this.#host.trust)
  }

  get trustsProxy(): boolean | undefined {
    return this.#host.trustsProxy ?? (this.exchange.hasProxySource === true ? false : undefined)
  }

  get status(): number {
    // Metrics and logs read the status after the exchange has ended. They must not report a prepared status as sent.
    return this.#outcome?.status === 0 ? CLIENT_LEFT : this.prepared.status
  }

  set status(status: number) {
    this.prepared.status = status
  }

  get responseHeaders(): ResponseHeaders {
    return this.prepared.headers
  }

  get headSent(): boolean {
    return this.exchange.status !== 0
  }

  bytes(): Promise<Uint8Array>
  bytes(body: Uint8Array, init?: ResponseInit): void
  bytes(...response: [body?: Uint8Array, init?: ResponseInit]): Promise<Uint8Array> | void {
    if (response.length === 0) return this.#body.bytes()
    const [body, init] = response
    this.#respond(results.checkBytes(body), results.BYTES_TYPE, init)
  }

  text(): Promise<string>
  text(body: string, init?: ResponseInit): void
  text(...response: [body?: string, init?: ResponseInit]): Promise<string> | void {
    if (response.length === 0) return this.#body.text()
    const [body, init] = response
    this.#respond(results.checkText('ctx.text', body), results.TEXT_TYPE, init)
  }

  json(): Promise<unknown>
  json(value: unknown, init?: ResponseInit): void
  json(...response: [value?: unknown, init?: ResponseInit]): Promise<unknown> | void {
    if (response.length === 0) return this.#body.json()
    const [value, init] = response
    this.#respond(
      results.jsonBody(value, this.#serialize, init?.status ?? this.prepared.status),
      results.JSON_TYPE,
      init,
    )
  }

  stream(): ReadableStream<Uint8Array>
  stream(body: BodySource, init?: ResponseInit): void
  stream(...response: [body?: BodySource, init?: ResponseInit]): ReadableStream<Uint8Array> | void {
    const [body, init] = response
    if (response.length === 0) return this.#body.stream()
    results.checkSource(body)
    this.#respond(body, results.BYTES_TYPE, init)
  }

  form(): Promise<URLSearchParams> {
    return this.#body.form()
  }

  decodeBody(decode: BodyDecoder): void {
    this.#body.decode(decode, this, this.#request)
  }

  /** Parses the body and returns the result of `make`, like `BodyReader.value`. */
  readValue<T>(make: (value: unknown) => T): T | Promise<Awaited<T>> {
    return this.#body.value(make)
  }

  parts(options?: MultipartOptions): AsyncIterableIterator<MultipartPart> {
    const body = this.#body
    return readParts(() => body.stream(), this.exchange.headers.get('content-type'), body.maxFileBytes, options)
  }

  html(body: string, init?: ResponseInit): void {
    this.#respond(results.checkText('ctx.html', body), results.HTML_TYPE, init)
  }

  redirect(location: string, status: number = 302): void {
    results.checkRedirect(location, status)
    this.#respond(null, undefined, { status, headers: { location } })
  }

  empty(status: number = 204): void {
    this.#respond(null, undefined, { status })
  }

  notFound(): unknown {
    this.#checkUnsent()
    return this.#host.notFound(this)
  }

  startResponse(): ResponseBody {
    this.#checkUnsent()
    return (this.started = startBody(this))
  }

  filterResponse(filter: ResponseFilter): void {
    checkFilter(filter)
    if (this.headSent) this.onLateChange('a response filter was added')
    else this.filters = withAdded(this.filters, filter)
  }

  set<T>(token: ContextToken<T>, value: T): void {
    ;(this.#values ??= new ContextValues()).set(token, value)
  }

  provide<T>(token: ContextToken<T>, make: () => T): void {
    ;(this.#values ??= new ContextValues()).provide(token, make)
  }

  get<T>(token: ContextToken<T>): T | null {
    return this.#values?.get(token) ?? null
  }

  local<T>(token: ContextToken<T>): T {
    if (this.#values?.has(token) !== true) throw missingValue(token)
    return this.#values.get(token) as T
  }

  onFinish(listener: (outcome: Outcome) => void): void {
    const outcome = this.#outcome
    if (outcome === undefined) this.#listeners = withAdded(this.#listeners, listener)
    else this.#notify([listener], outcome)
  }

  onDrain(listener: () => void): void {
    if (this.#outcome !== undefined) return
    this.#drainListeners = withAdded(this.#drainListeners, listener)
    this.#host.drainNotice.add(this)
  }

  /** Notifies the `onDrain` listeners that the server is starting to close. */
  onDrainNotice(): void {
    const listeners = this.#drainListeners
    this.#drainListeners = undefined
    notifyAll(listeners, undefined, (error) => this.#host.report('An onDrain listener threw', error))
  }

  /** Throws until `@fw/sse/register` replaces it. */
  sse(): never {
    throw missingExtension('ctx', 'sse')
  }

  /** Prepares a handler's result as the response, or releases a late result. @throws {Error} if the head was sent */
  setResult(result: unknown): void {
    if (this.isTimedOut) results.discardResult(result)
    else if (!this.headSent) this.prepared.take(result, this.#serialize)
    else if (result !== undefined) this.#checkUnsent(result)
  }

  /** Reports a change after the head was sent. It is not an error: middleware cannot know when the head is sent. */
  onLateChange(change: string): void {
    const route = this.route === undefined ? 'A request without a route' : `${this.route.method} ${this.route.pattern}`
    this.#host.notice(`${route}: ${change} after the head of the response was sent. The change has no effect.`)
  }

  /** Reports an error for which the client receives no response, or only a 5xx. */
  reportFailure(error: unknown): void {
    this.#host.report(`${this.method} ${this.path} failed`, error)
  }

  /** Names the class in the error for a handler that returns its context by mistake. */
  get [Symbol.toStringTag](): string {
    return 'Context'
  }

  /** Whether a response was prepared or sent. */
  get hasResponse(): boolean {
    return this.prepared.hasBody || this.prepared.hasStatus || this.headSent
  }

  /** Whether the exchange was aborted before the end of the response, by the client or the server. */
  get isAborted(): boolean {
    return this.#outcome?.aborted === true
  }

  /** Whether the route's timeout has expired. If so, another context responds. */
  get isTimedOut(): boolean {
    return this.#timeout !== undefined
  }

  /**
   * Transfers the request and the prepared response to a new context after the route's timeout has expired. Discards
   * every later response from this context.
   *
   * @param reason Reason that `signal` reports
   */
  // docs/decisions/0027
  handOver(reason: Error): RequestContext {
    const next = new RequestContext(this.exchange, this.#target, this.route, this.params, this.#host, this.#serialize)
    const { prepared } = this
    next.prepared = prepared
    next.valid = this.valid
    next.filters = this.filters
    next.trace = this.trace
    next.#values = this.#values ??= new ContextValues()
    next.#reader = this.#body
    next.#request = this.#request
    next.onFinish((outcome) => {
      // This context's listeners must see the response that was sent.
      this.prepared = prepared
      this.#finish(outcome)
    })
    this.prepared = prepared.copyHead()
    this.#timeout = reason
    this.#aborter?.abort(reason)
    return next
  }

  get #body(): BodyReader {
    return (this.#reader ??= bodyReaderOf(this.exchange, this.#host, this.route))
  }

  #respond(body: string | Uint8Array | BodySource | null, type: string | undefined, init?: ResponseInit): void {
    this.#checkUnsent(body)
    this.prepared.set(body, type, init)
  }

  /** @param late Result to release if it cannot be sent */
  #checkUnsent(late?: unknown): void {
    if (this.#timeout === undefined && !this.headSent) return
    results.discardResult(late)
    throw results.lateResult(this.#timeout !== undefined)
  }

  #finish(outcome: Outcome): void {
    this.#outcome = outcome
    if (this.#drainListeners !== undefined) this.#host.drainNotice.delete(this)
    if (outcome.aborted) this.#aborter?.abort(exchangeAborted())
    this.#notify(this.#listeners ?? [], outcome)
    this.#listeners = undefined
  }

  #notify(listeners: readonly ((outcome: Outcome) => void)[], outcome: Outcome): void {
    notifyAll(listeners, outcome, (error) => this.#host.report('An onFinish listener threw', error))
  }
}
