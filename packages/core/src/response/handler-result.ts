import { showType, showValue, withCode } from '@fw/options'
import type { FileHandle } from 'node:fs/promises'
import type { BodySource } from '@fw/types'
import { discardSource } from './body-source.ts'
import { bodyOfResponse, isResponseLike, type ResponseLike } from './response-like.ts'

/** A whole body, a source that is streamed, or `null` for no body. */
export type ResponseBody = string | Uint8Array | BodySource | null

/** The response that a handler's result describes. */
export interface HandlerResult {
  readonly body: ResponseBody
  /** Content type that the result implies. A type that the handler sets takes precedence. */
  readonly contentType: string | undefined
  /** The returned `Response`, for its status and fields. */
  readonly response: ResponseLike | undefined
}

export const TEXT_TYPE = 'text/plain; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json'
export const BYTES_TYPE = 'application/octet-stream'

/**
 * Converts a handler's result into a response. Sends strings, bytes, streams and `Response` objects unchanged, and any
 * other value as JSON.
 *
 * @param result Any value except `undefined`
 * @param serialize Converts a value to JSON
 * @param status Status of the response, by which `serialize` selects the schema
 * @throws {TypeError} if the result has no JSON form, or is a stream or `Response` that is already being read
 * @throws the result, if it is an error. The handler returned an error instead of throwing it
 */
export function readHandlerResult(
  result: unknown,
  serialize: Serialize = jsonText,
  status: number = 200,
): HandlerResult {
  if (typeof result === 'string') return { body: result, contentType: TEXT_TYPE, response: undefined }
  if (typeof result === 'object' && result !== null) {
    if (result instanceof Uint8Array) return { body: result, contentType: BYTES_TYPE, response: undefined }
    const isLiteral = isPlain(result)
    if (!isLiteral && isResponseLike(result)) return fromResponse(result)
    if (Symbol.asyncIterator in result) {
      const body = result as Exclude<BodySource, Iterable<unknown>>
      checkSource(body)
      return { body, contentType: BYTES_TYPE, response: undefined }
    }
    if (!isLiteral) checkJsonForm(result)
  }
  return { body: serialize(result, status), contentType: JSON_TYPE, response: undefined }
}

/** Releases a result that is not sent. Cancels a source, or closes an open file. */
export function discardResult(result: unknown): void {
  if (typeof result !== 'object' || result === null || result instanceof Uint8Array) return
  if (isOpenFile(result)) {
    // The file is closed even if closing reports an error.
    result.close().catch(() => {})
    return
  }
  const source = isResponse(result) ? result.body : result
  if (source !== undefined && source !== null && Symbol.asyncIterator in source) discardSource(source as BodySource)
}

/**
 * Converts the argument of `ctx.json` to JSON.
 *
 * @throws {TypeError} if the value is a stream, a `Response` or an open file, which is released
 */
export function jsonBody(value: unknown, serialize: Serialize, status: number): string {
  if (
    typeof value === 'object' &&
    value !== null &&
    (Symbol.asyncIterator in value || isResponse(value) || isOpenFile(value))
  ) {
    throw wrongBody('ctx.json', 'a value that has a JSON form', value)
  }
  return serialize(value, status)
}

function isResponse(value: object): value is ResponseLike {
  return !isPlain(value) && isResponseLike(value)
}

/** Reports whether `readHandlerResult` is certain to convert a result to JSON, which can take a long time. */
export function isJsonValue(result: unknown): boolean {
  return typeof result === 'object' && result !== null && isPlain(result) && !(Symbol.asyncIterator in result)
}

/** Reports whether an object is an object or array literal, which is sent as JSON regardless of its members. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/** Reports whether an object is a `FileHandle` from `node:fs/promises`. */
function isOpenFile(value: object): value is FileHandle {
  return 'fd' in value && 'readableWebStream' in value && 'close' in value
}

/** Suggested results to return instead of the types that `JSON.stringify` converts to `{}`, by `Symbol.toStringTag`. */
const INSTEAD: Readonly<Record<string, string>> = {
  ArrayBuffer: 'new Uint8Array(…)',
  SharedArrayBuffer: 'new Uint8Array(…)',
  Blob: 'new Response(…)',
  File: 'new Response(…)',
  FormData: 'new Response(…)',
  URLSearchParams: 'new Response(…)',
  Request: 'new Response(…)',
  Headers: 'new Response(…)',
  Map: 'an object or an array',
  Set: 'an object or an array',
  Context: 'nothing, or the value to send',
}

/** Rejects a value whose content would be lost, because `JSON.stringify` converts it to `{}`. */
function checkJsonForm(value: object): void {
  if (value instanceof Error) throw value
  if (isOpenFile(value)) {
    discardResult(value)
    throw withCode(
      'FW_INVALID_BODY',
      new TypeError('response: body must have a JSON form, got a FileHandle. Return handle.createReadStream().'),
    )
  }
  if (Array.isArray(value) || 'toJSON' in value) return
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const instead = ArrayBuffer.isView(value) ? 'new Uint8Array(…)' : INSTEAD[tag]
  if (instead === undefined && (!(Symbol.iterator in value) || Object.keys(value).length > 0)) return
  const fix = `Return ${instead ?? 'an array, or pass it to ctx.stream(…)'}.`
  throw withCode(
    'FW_INVALID_BODY',
    new TypeError(`response: body must have a JSON form, got a value of type ${tag}. ${fix}`),
  )
}

/** @throws {TypeError} if the source is locked, or is neither a `ReadableStream` nor an iterable */
export function checkSource(source: unknown): asserts source is BodySource {
  if (source instanceof ReadableStream) {
    if (source.locked) {
      throw withCode(
        'FW_INVALID_BODY',
        new TypeError(
          'response: body must be a stream without a reader, got a locked ReadableStream. Call reader.releaseLock() first.',
        ),
      )
    }
  } else if (
    typeof source !== 'object' ||
    source === null ||
    !(Symbol.asyncIterator in source || Symbol.iterator in source)
  ) {
    throw wrongBody('response', 'a ReadableStream or an iterable', source)
  }
}

/** @throws {TypeError} if the body is not bytes */
export function checkBytes(body: unknown): Uint8Array {
  if (!(body instanceof Uint8Array)) throw wrongBody('ctx.bytes', 'a Uint8Array', body)
  return body
}

/** @throws {TypeError} if the body is not a string */
export function checkText(api: string, body: unknown): string {
  if (typeof body !== 'string') throw wrongBody(api, 'a string', body)
  return body
}

/**
 * Creates the error for a body of the wrong type, and releases that body. The message names only the type, because the
 * content can be private.
 */
function wrongBody(api: string, expected: string, body: unknown): TypeError {
  discardResult(body)
  return withCode(
    'FW_INVALID_BODY',
    new TypeError(`${api}: body must be ${expected}, got ${showType(body)}. Convert it.`),
  )
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * @throws {RangeError} if the status is not a redirect status
 * @throws {TypeError} if the location is not a URI reference
 */
export function checkRedirect(location: unknown, status: number): void {
  if (typeof location !== 'string') {
    throw withCode(
      'FW_INVALID_REDIRECT',
      new TypeError(
        `ctx.redirect: location must be a string, got ${showValue(location)}. Pass, for example, url.href.`,
      ),
    )
  }
  if (!REDIRECTS.has(status)) {
    const expected = `one of ${[...REDIRECTS].join(', ')}`
    throw withCode(
      'FW_INVALID_REDIRECT',
      new RangeError(`ctx.redirect: status must be ${expected}, got ${showValue(status)}. Omit it to send 302.`),
    )
  }
  // RFC 3986 §2: a URI reference consists of visible ASCII characters.
  if (!/^[\x21-\x7e]+$/.test(location)) {
    const fix = 'Encode it, for example with encodeURI().'
    throw withCode(
      'FW_INVALID_REDIRECT',
      new TypeError(`ctx.redirect: location must be percent-encoded, got ${showValue(location)}. ${fix}`),
    )
  }
}

function fromResponse(response: ResponseLike): HandlerResult {
  const body = bodyOfResponse(response)
  if (response.bodyUsed === true || isRead(body)) {
    throw withCode(
      'FW_INVALID_BODY',
      new TypeError(
        'response: body of the Response must be unread, got one that was read or is locked. Read response.clone() instead.',
      ),
    )
  }
  // `Response.error()` represents a failed request and has status 0.
  if (response.status === 0) {
    throw withCode(
      'FW_INVALID_STATUS',
      new TypeError('response: Response must have a status, got Response.error(). Throw an error instead.'),
    )
  }
  return { body, contentType: undefined, response }
}

/** Returns the error for a result that cannot be sent, because the route timed out or another response was sent. */
export function lateResult(isExpired: boolean): Error {
  return isExpired
    ? withCode(
        'FW_ROUTE_TIMEOUT',
        new Error("Cannot respond: the route's timeout has expired. Stop when ctx.signal aborts, or raise timeoutMs."),
      )
    : withCode(
        'FW_RESPONSE_SENT',
        new Error('Cannot respond: the head of a response was already sent. Respond once per request.'),
      )
}

/** Reports whether a stream is being read, or was read. */
function isRead(body: BodySource | null): boolean {
  if (body === null) return false
  return ('locked' in body && body.locked) || ('readableDidRead' in body && body.readableDidRead === true)
}

/** Converts a value to JSON for a response with `status`. */
export type Serialize = (value: unknown, status: number) => string

/** @throws {TypeError} if the value has no JSON form: `undefined`, a function, a symbol, a bigint, a cycle */
export function jsonText(value: unknown): string {
  // The declared type is `string`, but the result is `undefined` for a value without a JSON form.
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw wrongBody('response', 'a value that has a JSON form', value)
  return text
}
