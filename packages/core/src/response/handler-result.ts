import { showType, showValue } from '@fw/options'
import type { FileHandle } from 'node:fs/promises'
import type { BodySource } from '@fw/types'
import { discardSource } from './body-source.ts'
import { bodyOfResponse, isResponseLike, type ResponseLike } from './response-like.ts'

/** What a body is made of: all of it, or a source to stream it from; `null` for none. */
export type ResponseBody = string | Uint8Array | BodySource | null

/** What a handler's result stands for. */
export interface HandlerResult {
  readonly body: ResponseBody
  /** Content type that the result implies, used unless another one was set. */
  readonly contentType: string | undefined
  /** Status and fields, where the result brings them along. */
  readonly response: ResponseLike | undefined
}

export const TEXT_TYPE = 'text/plain; charset=utf-8'
export const HTML_TYPE = 'text/html; charset=utf-8'
export const JSON_TYPE = 'application/json'
export const BYTES_TYPE = 'application/octet-stream'

/**
 * Turns what a handler returned into a response: text, bytes, a stream, a `Response`, and everything else as JSON.
 *
 * @param result Anything but `undefined`
 * @param serialize Makes JSON of what has no other form
 * @throws {TypeError} if the result has no JSON form, or is a stream or `Response` that is being read already
 * @throws the result, if it is an error: whoever returns one has forgotten to throw it
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
    if (!isLiteral && isResponseLike(result)) return ofResponse(result)
    if (Symbol.asyncIterator in result) {
      const body = result as Exclude<BodySource, Iterable<unknown>>
      checkSource(body)
      return { body, contentType: BYTES_TYPE, response: undefined }
    }
    if (!isLiteral) checkJsonForm(result)
  }
  return { body: serialize(result, status), contentType: JSON_TYPE, response: undefined }
}

/** Releases a result that is not sent: cancels a source, closes an open file. */
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
 * Makes JSON of the value that was given to `ctx.json`.
 *
 * @throws {TypeError} if the value is a stream or a `Response`, which it releases
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

/** Whether an object is a literal, which is JSON whatever its members. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === Array.prototype || prototype === null
}

/** Whether an object is a `FileHandle` of `node:fs/promises`. */
function isOpenFile(value: object): value is FileHandle {
  return 'fd' in value && 'readableWebStream' in value && 'close' in value
}

/** What to return in place of something that `JSON.stringify` makes `{}` of, by its `Symbol.toStringTag`. */
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
  Context: 'nothing, or the value to answer with',
}

/** Refuses what would be answered as `{}`, though it is not empty. */
function checkJsonForm(value: object): void {
  if (value instanceof Error) throw value
  if (isOpenFile(value)) {
    discardResult(value)
    throw new TypeError('response: body must have a JSON form, got a FileHandle. Return handle.createReadStream().')
  }
  if (Array.isArray(value) || 'toJSON' in value) return
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1)
  const instead = ArrayBuffer.isView(value) ? 'new Uint8Array(…)' : INSTEAD[tag]
  if (instead === undefined && (!(Symbol.iterator in value) || Object.keys(value).length > 0)) return
  const fix = `Return ${instead ?? 'an array, or pass it to ctx.stream(…)'}.`
  throw new TypeError(`response: body must have a JSON form, got a value of type ${tag}. ${fix}`)
}

/** @throws {TypeError} if nothing can be streamed from the source */
export function checkSource(source: unknown): asserts source is BodySource {
  if (source instanceof ReadableStream) {
    if (source.locked)
      throw new TypeError('response: body must be a stream without a reader, got a locked ReadableStream.')
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
 * Creates the error for a body of the wrong type, and releases that body. The message has no content, because it may be
 * private.
 */
function wrongBody(api: string, expected: string, body: unknown): TypeError {
  discardResult(body)
  return new TypeError(`${api}: body must be ${expected}, got ${showType(body)}.`)
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * @throws {RangeError} if the status is no redirect
 * @throws {TypeError} if the location is no URI reference
 */
export function checkRedirect(location: unknown, status: number): void {
  if (typeof location !== 'string') {
    throw new TypeError(
      `ctx.redirect: location must be a string, got ${showValue(location)}. Pass for example url.href.`,
    )
  }
  if (!REDIRECTS.has(status)) {
    const expected = `one of ${[...REDIRECTS].join(', ')}`
    throw new RangeError(`ctx.redirect: status must be ${expected}, got ${showValue(status)}.`)
  }
  // RFC 3986 §2: a URI reference is of visible ASCII characters.
  if (!/^[\x21-\x7e]+$/.test(location)) {
    const fix = 'Encode it, for example with encodeURI().'
    throw new TypeError(`ctx.redirect: location must be percent-encoded, got ${showValue(location)}. ${fix}`)
  }
}

function ofResponse(response: ResponseLike): HandlerResult {
  const body = bodyOfResponse(response)
  if (response.bodyUsed === true || isTaken(body)) {
    throw new TypeError('response: body of the Response must be unread, got one that is read or locked.')
  }
  // `Response.error()` stands for a failed request and has status 0.
  if (response.status === 0) throw new TypeError('response: Response must have a status, got Response.error().')
  return { body, contentType: undefined, response }
}

/** Whether a stream is being read, or was read. */
function isTaken(body: BodySource | null): boolean {
  if (body === null) return false
  return ('locked' in body && body.locked) || ('readableDidRead' in body && body.readableDidRead === true)
}

/** Makes the JSON of a value that is answered with a status. */
export type Serialize = (value: unknown, status: number) => string

/** @throws {TypeError} if the value has no JSON form: `undefined`, a function, a symbol, a bigint, a cycle */
export function jsonText(value: unknown): string {
  // Typed as a string, but `undefined` where there is no JSON form.
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw wrongBody('response', 'a value that has a JSON form', value)
  return text
}
