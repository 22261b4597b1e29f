import type { ContextToken } from './context-key.ts'
import type { Cookies } from './cookies.ts'
import type { Exchange, Outcome, ProtocolText, ResponseBody } from './exchange.ts'
import type { ContextExtensions } from './extensions.ts'
import type { FieldList, RequestHeaders } from './fields.ts'
import type { MultipartOptions, MultipartPart } from './multipart.ts'
import type { Params } from './path-params.ts'
import type { RouteInfo } from './router.ts'
import type { Validated } from './standard-schema.ts'

/** The fields of the response being prepared. Names are compared without case; values are bytes (latin1). */
export interface ResponseHeaders {
  /** The value, several fields of the same name joined with `, `, or `null` when absent. */
  get(name: string): string | null
  /** One value for each field of that name. */
  getAll(name: string): readonly string[]
  has(name: string): boolean
  /**
   * Replaces every field of that name.
   *
   * @throws {TypeError} if the name is no token or the value holds CR, LF, NUL or a character above U+00FF
   */
  set(name: string, value: string): void
  /**
   * Replaces every field of the names in a list by those of the list, which has to stay as it is: it is not copied, so
   * that fields of many responses are made once. What cannot be sent is refused when the response is.
   */
  setAll(fields: FieldList): void
  /** Adds one more field of that name. @throws {TypeError} as `set` does */
  append(name: string, value: string): void
  /** Takes out every field of that name. */
  delete(name: string): void
  /** Every field in the order in which they were first set, names in lower case. */
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>
}

/** Status and header fields given along with a body. */
export interface ResponseInit {
  /** 200 to 599; what was set before stays unless given. */
  readonly status?: number
  /** Fields that take the place of those of the same name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a body can be streamed from. */
export type BodySource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/**
 * One request as handlers and middleware see it, and the response they prepare.
 *
 * The response is sent when the outermost middleware is done, so that middleware can still change it after `next()`;
 * `startResponse()` alone sends the head at once.
 */
export interface Context<P extends object = Params, V extends Validated = Validated> extends ContextExtensions {
  /** The exchange underneath, for packages that frame their own answers. */
  readonly exchange: Exchange
  readonly protocol: ProtocolText
  /** As received; case matters. */
  readonly method: string
  /** The target as received, as far as the first `?`; never decoded or normalised. */
  readonly path: string
  /** The target as received, after the first `?`; empty without one. */
  readonly rawQuery: string
  /** The query, parsed when first asked for. */
  readonly query: URLSearchParams
  /** Parameters of the matched route, percent-decoded. */
  readonly params: P
  /** What the schemas of the route made of the request; `undefined` for a part without a schema. */
  readonly valid: V
  /** The matched route; `undefined` while none has matched. */
  readonly route: RouteInfo | undefined
  /** The header fields of the request; those of the response are `responseHeaders`. */
  readonly headers: RequestHeaders
  /** Reads the cookies of the request, and sets those of the response. */
  readonly cookies: Cookies
  /**
   * The request as a standard `Request`, made when first asked for. Read its body here or by the methods of the context,
   * not by both. Here only the bytes are limited: `formData()` of a million fields takes seconds, `form()` refuses it.
   */
  readonly request: Request
  /**
   * Aborts when the client goes away or the server gives up, not when an exchange just ends. The reason is an error with
   * the name `AbortError`, or the `HttpError` of the route's `timeoutMs`.
   */
  readonly signal: AbortSignal
  /** IP address of the peer; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  /**
   * IP address of the client: that of the peer, or what proxies say that the server's `trustProxy` believes. IPv6 as of
   * RFC 5952 without a zone, IPv4-mapped as IPv4.
   */
  readonly clientAddress: string | undefined
  /** Whether the server has `trustProxy`, so that `clientAddress` may be another than the peer's. */
  readonly trustsProxy: boolean

  /**
   * Reads the whole body, into memory that nothing else is in.
   *
   * @throws {HttpError} 413 over the route's limit
   * @throws an error with the name `AbortError` if the client goes away before the body is complete
   */
  bytes(): Promise<Uint8Array>
  /** Reads the whole body as UTF-8. @throws as `bytes`; 400 if it is not valid UTF-8 */
  text(): Promise<string>
  /**
   * Reads the whole body as JSON, if its `Content-Type` is one of the route's `bodyTypes`: a JSON format unless given.
   *
   * @throws as `text`; 400 if it is not JSON, 415 for another or no type, or a charset other than UTF-8
   */
  json(): Promise<unknown>
  /** Reads the whole body as `application/x-www-form-urlencoded`. @throws as `text`; 415 for another type or charset, 413 for too many fields */
  form(): Promise<URLSearchParams>
  /**
   * Reads the body as `multipart/form-data`, part by part as it arrives, under the route's limit.
   *
   * @throws as `bytes`; 415 for another type, 400 if it is malformed, 413 for too many parts
   */
  parts(options?: MultipartOptions): AsyncIterableIterator<MultipartPart>
  /** Reads the body as it arrives, no faster than the stream is read, under the route's limit. */
  stream(): ReadableStream<Uint8Array>

  /**
   * The media type that the client likes best, the first of equals; `null` if it takes none of them.
   *
   * @throws {TypeError} for what is none, such as `html` in place of `text/html`
   *
   * @example
   * if (ctx.accepts('text/html', 'application/json') === 'text/html') return ctx.html(page)
   */
  accepts(...types: readonly string[]): string | null
  /** As `accepts`, of languages: `'de'` stands for `de-CH` too. */
  acceptsLanguage(...languages: readonly string[]): string | null
  /** As `accepts`, of content codings such as `'gzip'`. */
  acceptsEncoding(...codings: readonly string[]): string | null

  /** Status of the response being prepared, 200 at first; 499 once the exchange is over without a response, as its client left. */
  status: number
  /** The header fields of the response being prepared; those of the request are `headers`. */
  readonly responseHeaders: ResponseHeaders
  /** Whether the head of the response has been sent. */
  readonly headSent: boolean
  /** Responses with text, `text/plain` unless a content type was set. */
  text(body: string, init?: ResponseInit): void
  /**
   * Responses with JSON: by the serializer of the route for the status, else by `JSON.stringify`.
   *
   * @throws {TypeError} if the value has no JSON form; what the serializer throws if it is not as its schema says
   */
  json(value: unknown, init?: ResponseInit): void
  /** Responses with text, `text/html` unless a content type was set. Nothing is escaped. */
  html(body: string, init?: ResponseInit): void
  /** Responses with bytes, which are not copied: leave them alone. `application/octet-stream` unless a content type was set. */
  bytes(body: Uint8Array, init?: ResponseInit): void
  /**
   * Responses with what a source gives, as fast as the client takes it; `application/octet-stream` unless a content type was
   * set. The source is let go of if the client goes away.
   *
   * @throws {TypeError} if nothing can be read from the source
   */
  stream(body: BodySource, init?: ResponseInit): void
  /**
   * Responses with a `Location`, sent as it is: one that a client named may lead anywhere, `//` at its start included. 302
   * unless a status is given.
   *
   * @throws {TypeError} if the location cannot be sent
   */
  redirect(location: string, status?: 301 | 302 | 303 | 307 | 308): void
  /** Answers without a body; 204 unless a status is given. */
  empty(status?: number): void
  /** Answers as if no route had matched. */
  notFound(): unknown
  /** Sends the head with the prepared status and fields, now, and hands over the body. */
  startResponse(): ResponseBody

  /**
   * Keeps a value for the handlers and middleware further in.
   *
   * @throws {TypeError} if the token is no class and not from `contextKey()`
   */
  set<T>(token: ContextToken<T>, value: T): void
  /** As `set`, but the value is made when first asked for. */
  provide<T>(token: ContextToken<T>, make: () => T): void
  /** The value, or `null` if nobody provided one. */
  get<T>(token: ContextToken<T>): T | null
  /** The value. @throws {Error} naming the token and how to provide it */
  local<T>(token: ContextToken<T>): T

  /** Calls `listener` once when the exchange is over, however it ended. A throwing listener is reported, not fatal. */
  onFinish(listener: (outcome: Outcome) => void): void
  /**
   * Calls `listener` once when the server begins to close while this exchange is not over (at once if it has begun),
   * so that a response without an end, such as an event stream, can end in good time. `App.drain()` brings it about.
   */
  onDrain(listener: () => void): void
}
