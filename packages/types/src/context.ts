import type { ContextToken } from './context-key.ts'
import type { Cookies } from './cookies.ts'
import type { Exchange, Outcome, ProtocolText, ResponseBody } from './exchange.ts'
import type { ContextExtensions } from './extensions.ts'
import type { FieldList, RequestHeaders } from './fields.ts'
import type { MultipartOptions, MultipartPart } from './multipart.ts'
import type { Params } from './path-params.ts'
import type { BodyDecoder } from './request-body.ts'
import type { ResponseFilter } from './response-filter.ts'
import type { RouteInfo } from './router.ts'
import type { Validated } from './standard-schema.ts'

/** The header fields of the prepared response. Names are case-insensitive; values are bytes (latin1). */
export interface ResponseHeaders {
  /** Returns the value; several fields with that name are joined by `, `; `null` if the field is absent. */
  get(name: string): string | null
  /** Returns one value for each field with that name. */
  getAll(name: string): readonly string[]
  /** Reports whether a field with that name is set. */
  has(name: string): boolean
  /**
   * Replaces every field with that name.
   *
   * @throws {TypeError} if `name` is not a token, or `value` contains CR, LF, NUL or a character above U+00FF
   */
  set(name: string, value: string): void
  /**
   * Replaces every field whose name is in the list. The list is not copied, so that responses can share it. Do not change it
   * afterwards. Invalid fields are rejected when the response is sent.
   */
  setAll(fields: FieldList): void
  /** Adds a field without replacing those with the same name. @throws {TypeError} like `set` */
  append(name: string, value: string): void
  /** Removes every field with that name. */
  delete(name: string): void
  /** Iterates over all fields in the order in which they were first set, with names in lower case. */
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>
}

/** The status and header fields of a response with a body. */
export interface ResponseInit {
  /** The status, from 200 to 599. Default: the current status. */
  readonly status?: number
  /** Header fields. They replace fields with the same name. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A source of a streamed body. */
export type BodySource = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>

/**
 * A request, and the response that handlers and middleware prepare.
 *
 * The response is sent when the outermost middleware returns, so middleware can change it after `next()`. Only
 * `startResponse()` sends the head immediately.
 */
export interface Context<P extends object = Params, V extends Validated = Validated> extends ContextExtensions {
  /** The underlying exchange, for packages that frame their own response bodies. */
  readonly exchange: Exchange
  /** The protocol version of the request. */
  readonly protocol: ProtocolText
  /**
   * The origin that the client sees, such as `https://example.org`: scheme, host, and the port unless it is the default. Trusted
   * proxies can report its parts (`trustProxy` with `origin`). Build absolute links with it.
   *
   * @throws {HttpError} 400 if the host is not valid in a URL, or a trusted proxy reports an invalid origin
   * @throws {HttpError} 421 if a trusted proxy reports a host that is not one of `allowedHosts`
   */
  readonly origin: string
  /**
   * The scheme that the client used. A trusted proxy can report it (`trustProxy` with `origin`), but unlike `origin`, this
   * never throws. It ignores an ambiguous or invalid report.
   */
  readonly scheme: 'http' | 'https'
  /** The method as received. Methods are case-sensitive. */
  readonly method: string
  /** The request target up to the first `?`, as received: neither decoded nor normalized. */
  readonly path: string
  /** The request target after the first `?`, as received; empty if there is none. */
  readonly rawQuery: string
  /** The query, parsed on first access. */
  readonly query: URLSearchParams
  /** The percent-decoded parameters of the matched route. */
  readonly params: P
  /** The output of the route's schemas; `undefined` for a part without a schema. */
  readonly valid: V
  /** The matched route; `undefined` if no route matches. */
  readonly route: RouteInfo | undefined
  /**
   * The routes of the path, the best match first. For OPTIONS, and for a method without a route (405), the list contains the
   * routes for every method, so that middleware can read their options. Otherwise, it contains only the matched route.
   */
  readonly pathRoutes: readonly RouteInfo[]
  /** The request header fields; the response header fields are `responseHeaders`. */
  readonly headers: RequestHeaders
  /** Reads request cookies, and sets response cookies. */
  readonly cookies: Cookies
  /**
   * The request as a standard `Request`, created on first access. Read the body either here or with the context's methods.
   * `Request` methods limit only the number of bytes: `formData()` accepts a million fields, but the context's `form()` rejects
   * them.
   *
   * `json()` rejects with 415 like the context's `json()`: `bodyTypes` lists the accepted types. `URL` cannot represent an
   * IPvFuture host, so `request.url` has the host `ipvfuture.invalid`. The exchange has the original `authority`.
   */
  readonly request: Request
  /**
   * Aborts when the client disconnects or a server timeout expires, but not when the exchange ends normally. The
   * reason is an error with the name `AbortError`, or the `HttpError` of the route's `timeoutMs`.
   */
  readonly signal: AbortSignal
  /** The peer's IP address; `undefined` on a Unix socket. */
  readonly remoteAddress: string | undefined
  /**
   * The client's IP address: the one that trusted proxies report (the server's `trustProxy`), otherwise the peer's. IPv6
   * addresses are in RFC 5952 form without a zone, and IPv4-mapped addresses are converted to IPv4.
   */
  readonly clientAddress: string | undefined
  /**
   * Whether the server trusts proxies: `false` with `trustProxy: false`, and `undefined` without `trustProxy`, when it is unknown
   * whether proxies forward the requests. Also `false` without `trustProxy` if `remoteAddress` comes from a PROXY header.
   */
  readonly trustsProxy: boolean | undefined

  /**
   * Reads the whole body into its own buffer.
   *
   * @throws {HttpError} 413 if the body exceeds the route's limit
   * @throws an error with the name `AbortError` if the client disconnects before the body is complete
   */
  bytes(): Promise<Uint8Array>
  /** Reads the whole body as UTF-8. @throws like `bytes`; {HttpError} 400 if the body is not valid UTF-8 */
  text(): Promise<string>
  /**
   * Reads the whole body as JSON. Its `Content-Type` must be one of the route's `bodyTypes`, by default a JSON type.
   *
   * @throws like `text`; {HttpError} 400 if the body is not JSON, 415 for a missing or different type, or a charset
   * other than UTF-8
   */
  json(): Promise<unknown>
  /**
   * Reads the whole body as `application/x-www-form-urlencoded`.
   *
   * @throws like `text`; {HttpError} 415 for any other type or charset, 413 for too many fields
   */
  form(): Promise<URLSearchParams>
  /**
   * Reads the body as `multipart/form-data`, part by part as it arrives, under the route's limit.
   *
   * @throws like `bytes`; {HttpError} 415 for any other type, 400 if the body is malformed, 413 for too many parts
   */
  parts(options?: MultipartOptions): AsyncIterableIterator<MultipartPart>
  /** Returns the body as a stream, with backpressure and under the route's limit. */
  stream(): ReadableStream<Uint8Array>
  /**
   * Decodes the body when it is first read, in each of the ways above and in `request`, which then has no `content-encoding`
   * and `content-length`. Middleware calls it before `next()`. A second call replaces the decoder.
   *
   * The route's limit applies to the encoded and to the decoded bytes: a read rejects with 413 as soon as either exceeds it.
   *
   * @throws {TypeError} if `decode` is not a function, or the body was already read
   */
  decodeBody(decode: BodyDecoder): void

  /**
   * Returns the media type that the client prefers, or the first on a tie; `null` if it accepts none of them.
   *
   * @throws {TypeError} if an argument is not a media type, such as `html` instead of `text/html`
   *
   * @example
   * if (ctx.accepts('text/html', 'application/json') === 'text/html') return ctx.html(page)
   */
  accepts(...types: readonly string[]): string | null
  /** Returns the language that the client prefers. `'de'` also matches `de-CH`. */
  acceptsLanguage(...languages: readonly string[]): string | null
  /** Returns the content coding that the client prefers, such as `'gzip'`. */
  acceptsEncoding(...codings: readonly string[]): string | null

  /** The status of the prepared response. Default 200; 499 if the client disconnected before the response. */
  status: number
  /** The header fields of the prepared response; the request header fields are `headers`. */
  readonly responseHeaders: ResponseHeaders
  /** Whether the response head has been sent. */
  readonly headSent: boolean
  /** Responds with text, as `text/plain` unless a content type is set. */
  text(body: string, init?: ResponseInit): void
  /**
   * Responds with JSON. The route's `response` schema serializes it; without one, `JSON.stringify` does.
   *
   * @throws {TypeError} if the value has no JSON form
   * @throws an error from the serializer if the value does not match its schema
   */
  json(value: unknown, init?: ResponseInit): void
  /** Responds with HTML, as `text/html` unless a content type is set. The text is not escaped. */
  html(body: string, init?: ResponseInit): void
  /** Responds with bytes, as `application/octet-stream` unless a content type is set. Do not change them: they are not copied. */
  bytes(body: Uint8Array, init?: ResponseInit): void
  /**
   * Responds with the content of a source, with backpressure, as `application/octet-stream` unless a content type is set.
   * The source is canceled if the client disconnects.
   *
   * @throws {TypeError} if the source is not a stream or an iterable
   */
  stream(body: BodySource, init?: ResponseInit): void
  /**
   * Redirects to a location, which is sent unchanged. Validate a location that a client chose. It can point to a
   * different site, even as a path that begins with `//`. Default status 302.
   *
   * @throws {TypeError} if the location cannot be sent
   */
  redirect(location: string, status?: 301 | 302 | 303 | 307 | 308): void
  /** Responds without a body. Default status 204. */
  empty(status?: number): void
  /** Responds as if no route matched. Within a `notFound` handler, responds with a problem document. */
  notFound(): unknown
  /** Sends the head with the prepared status and fields immediately, and returns the body to write. */
  startResponse(): ResponseBody
  /**
   * Runs `filter` once, immediately before the response head is sent. Middleware calls it before `next()`. The filter that was
   * added last runs first. Has no effect after the head has been sent.
   *
   * @throws {TypeError} if `filter` is not a function
   *
   * @example
   * router.use((ctx, next) => {
   *   ctx.filterResponse((response) => response.headers.set('x-kind', response.kind))
   *   return next()
   * })
   */
  filterResponse(filter: ResponseFilter): void

  /**
   * Stores a value for inner middleware and handlers.
   *
   * @throws {TypeError} if the token is neither a class nor a result of `contextKey()`
   */
  set<T>(token: ContextToken<T>, value: T): void
  /** Stores a function that creates the value on first access. */
  provide<T>(token: ContextToken<T>, make: () => T): void
  /** Returns the stored value, or `null` if none is stored. */
  get<T>(token: ContextToken<T>): T | null
  /** Returns the stored value. @throws {Error} if no value is stored; the message explains how to provide one */
  local<T>(token: ContextToken<T>): T

  /** Calls `listener` once when the exchange is over, even if it failed. An error from the listener is logged. */
  onFinish(listener: (outcome: Outcome) => void): void
  /**
   * Calls `listener` once if the server begins to close before this exchange is over, or immediately if it is closing.
   * An endless response, such as an event stream, can then end. `App.drain()` triggers it.
   */
  onDrain(listener: () => void): void
}
