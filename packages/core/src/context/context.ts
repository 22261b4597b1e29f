import { believedAddress, peerAddress, UNIX_SOCKET } from '@fw/client-address'
import type {
  BodySource,
  Context,
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
  ResponseHeaders,
  ResponseInit,
  RouteInfo,
  Validated,
} from '@fw/types'
import { preferred } from './accepts.ts'
import { AbortedError } from '../engine/errors.ts'
import { BodyReader, parseUrlencoded } from './body-reader.ts'
import type { ContextHost } from './context-host.ts'
import { ContextValues, missingValue } from './context-values.ts'
import { ContextCookies } from './cookies.ts'
import { notifyAll, withAdded } from './listeners.ts'
import { missingExtension } from './missing-extension.ts'
import { readParts } from './multipart.ts'
import { PreparedResponse } from '../response/prepared-response.ts'
import type { RequestTarget } from '../engine/semantics/request-target.ts'
import {
  checkRedirect,
  checkSource,
  checkText,
  discardResult,
  wrongBody,
  BYTES_TYPE,
  HTML_TYPE,
  JSON_TYPE,
  TEXT_TYPE,
  jsonText,
  type Serialize,
} from '../response/handler-result.ts'
import { makeRequest } from './standard-request.ts'
import { NOTHING_VALID } from './nothing-valid.ts'

/** Not a registered status; what servers log of a client that left before its response. */
const NO_RESPONSE = 499

/**
 * The `Context` of every request. What costs something is made when first asked for.
 *
 * Handlers see the members of `Context`; the others are for the application.
 */
export class RequestContext {
  readonly exchange: Exchange
  prepared: PreparedResponse = new PreparedResponse(this)
  readonly route: RouteInfo | undefined
  readonly params: Params
  /** Set by the application before the handler runs. */
  valid: Validated = NOTHING_VALID
  readonly #target: RequestTarget
  readonly #host: ContextHost<RequestContext>
  readonly #serialize: Serialize
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
    serialize: Serialize = jsonText,
  ) {
    this.exchange = exchange
    this.#target = target
    this.route = route
    this.params = params
    this.#host = host
    this.#serialize = serialize
    // A function that is written where it is assigned would be put among the old objects at once (V8 takes it for a
    // method), and keep the whole request from being collected with the young ones.
    const finish = (outcome: Outcome): void => this.#finish(outcome)
    // From the start, as the end may come before anybody asks about it.
    exchange.onClose = finish
  }

  get protocol(): ProtocolText {
    return this.exchange.protocol
  }

  get method(): string {
    return this.exchange.method
  }

  get path(): string {
    return this.#target.path
  }

  get rawQuery(): string {
    return this.#target.rawQuery
  }

  get query(): URLSearchParams {
    return (this.#query ??= parseUrlencoded(this.#target.rawQuery))
  }

  get headers(): RequestHeaders {
    return this.exchange.headers
  }

  get cookies(): Cookies {
    return (this.#cookies ??= new ContextCookies(
      this.exchange.headers,
      () => this.prepared.headers,
      this.exchange.scheme === 'https',
    ))
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
    return (this.#request ??= makeRequest(this))
  }

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController()
      if (this.#timeout !== undefined) this.#aborter.abort(this.#timeout)
      if (this.isClientGone) this.#aborter.abort(new AbortedError('The client went away'))
    }
    return this.#aborter.signal
  }

  get remoteAddress(): string | undefined {
    return this.exchange.remoteAddress
  }

  get clientAddress(): string | undefined {
    const { remoteAddress, isUnixSocket } = this.exchange
    const { trust } = this.#host
    if (trust === undefined) return peerAddress(remoteAddress)
    return believedAddress(this.headers, isUnixSocket === true ? UNIX_SOCKET : remoteAddress, trust)
  }

  get trustsProxy(): boolean {
    return this.#host.trust !== undefined
  }

  get status(): number {
    // Whoever counts or logs by it after the end must not take what was only prepared for what was sent.
    return this.#outcome?.status === 0 ? NO_RESPONSE : this.prepared.status
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
    if (!(body instanceof Uint8Array)) throw wrongBody('ctx.bytes', 'a Uint8Array', body)
    this.#respond(body, BYTES_TYPE, init)
  }

  text(): Promise<string>
  text(body: string, init?: ResponseInit): void
  text(...response: [body?: string, init?: ResponseInit]): Promise<string> | void {
    if (response.length === 0) return this.#body.text()
    const [body, init] = response
    this.#respond(checkText('ctx.text', body), TEXT_TYPE, init)
  }

  json(): Promise<unknown>
  json(value: unknown, init?: ResponseInit): void
  json(...response: [value?: unknown, init?: ResponseInit]): Promise<unknown> | void {
    if (response.length === 0) return this.#body.json()
    const [value, init] = response
    this.#respond(this.#serialize(value, init?.status ?? this.prepared.status), JSON_TYPE, init)
  }

  stream(): ReadableStream<Uint8Array>
  stream(body: BodySource, init?: ResponseInit): void
  stream(...response: [body?: BodySource, init?: ResponseInit]): ReadableStream<Uint8Array> | void {
    const [body, init] = response
    if (response.length === 0) return this.#body.stream()
    checkSource(body)
    this.#respond(body, BYTES_TYPE, init)
  }

  form(): Promise<URLSearchParams> {
    return this.#body.form()
  }

  /** Converts the value of the body with `make`, like `BodyReader.value`. */
  readValue<T>(make: (value: unknown) => T): T | Promise<Awaited<T>> {
    return this.#body.value(make)
  }

  parts(options?: MultipartOptions): AsyncIterableIterator<MultipartPart> {
    return readParts(() => this.#body.stream(), this.exchange.headers.get('content-type'), options)
  }

  html(body: string, init?: ResponseInit): void {
    this.#respond(checkText('ctx.html', body), HTML_TYPE, init)
  }

  redirect(location: string, status: number = 302): void {
    checkRedirect(location, status)
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
    this.exchange.start(this.prepared.status, this.prepared.fields)
    return this.exchange
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

  /** The server begins to close. */
  onDrainNotice(): void {
    const listeners = this.#drainListeners
    this.#drainListeners = undefined
    notifyAll(listeners, undefined, (error) => this.#host.report('A listener of onDrain threw', error))
  }

  /** Stands in for the method that the register entry of `@fw/sse` installs. */
  sse(): never {
    throw missingExtension('ctx', 'sse')
  }

  /** Takes what a handler returned as the response. Releases it if another response takes its place. */
  setResult(result: unknown): void {
    if (this.isTimedOut) discardResult(result)
    else if (!this.headSent) this.prepared.take(result, this.#serialize)
    else if (result !== undefined) this.#checkUnsent(result)
  }

  /**
   * The head was sent, and `what` comes too late for it. It is no error, as middleware may not know which of the responses
   * that it waits for are sent before it goes on.
   */
  onLateChange(what: string): void {
    const route = this.route === undefined ? 'A request without a route' : `${this.route.method} ${this.route.pattern}`
    this.#host.notice(`${route}: ${what} was changed after the head of the response was sent, which is without effect`)
  }

  /** For whoever returns the context by mistake: responses are not made of it. */
  get [Symbol.toStringTag](): string {
    return 'Context'
  }

  /** Whether there is something to answer with, or a response was sent. */
  get hasResponse(): boolean {
    return this.prepared.hasBody || this.prepared.hasStatus || this.headSent
  }

  /** Whether the client went away. */
  get isClientGone(): boolean {
    return this.#outcome?.aborted === true
  }

  /** Whether the time of the route is over: another context has the response. */
  get isTimedOut(): boolean {
    return this.#timeout !== undefined
  }

  /**
   * The time of the route is over. What is answered by this context from now on reaches nobody.
   *
   * @returns The context that goes on with the request, and with what was prepared
   */
  // docs/decisions/0027
  handOver(reason: Error): RequestContext {
    const heir = new RequestContext(this.exchange, this.#target, this.route, this.params, this.#host, this.#serialize)
    const { prepared } = this
    heir.prepared = prepared
    heir.valid = this.valid
    heir.#values = this.#values ??= new ContextValues()
    heir.#reader = this.#body
    heir.#request = this.#request
    heir.onFinish((outcome) => {
      // Whoever listens for the end here is told of the response that was sent.
      this.prepared = prepared
      this.#finish(outcome)
    })
    this.prepared = prepared.copyHead()
    this.#timeout = reason
    this.#aborter?.abort(reason)
    return heir
  }

  get #body(): BodyReader {
    return (this.#reader ??= new BodyReader(
      this.exchange.body,
      this.exchange.headers,
      this.#host.limits,
      this.route?.options.limits,
      this.route?.options.bodyTypes ?? this.#host.bodyTypes,
    ))
  }

  #respond(body: string | Uint8Array | BodySource | null, type: string | undefined, init?: ResponseInit): void {
    this.#checkUnsent(body)
    this.prepared.set(body, type, init)
  }

  /** @param late Result to release if it cannot be sent */
  #checkUnsent(late?: unknown): void {
    if (this.#timeout === undefined && !this.headSent) return
    discardResult(late)
    if (this.#timeout !== undefined) throw new Error('Cannot answer: the time of the route is over')
    throw new Error('Cannot answer: the head of a response was sent already')
  }

  #finish(outcome: Outcome): void {
    this.#outcome = outcome
    if (this.#drainListeners !== undefined) this.#host.drainNotice.delete(this)
    if (outcome.aborted) this.#aborter?.abort(new AbortedError('The client went away'))
    this.#notify(this.#listeners, outcome)
    this.#listeners = undefined
  }

  #notify(listeners: readonly ((outcome: Outcome) => void)[] | undefined, outcome: Outcome): void {
    notifyAll(listeners, outcome, (error) => this.#host.report('A listener of onFinish threw', error))
  }
}

/** Handlers are given a `RequestContext` as the `Context` that the compiler knows, extensions included. */
export function asContext(context: RequestContext): Context {
  return context
}
