import type { FieldList, RequestHeaders } from '@fw/types'
import { FieldListHeaders } from '../engine/fields/field-list-headers.ts'
import { StandardHeaders } from './standard-headers.ts'

/** A request without a network, split into the parts that an engine would parse. */
export interface MemoryRequest {
  /** The scheme of the URL. */
  readonly scheme: 'http' | 'https'
  /** The method, such as `GET`. */
  readonly method: string
  /** The path and query, as in a request line. */
  readonly target: string
  /** The header fields. */
  readonly headers: RequestHeaders
  /** The body: a stream, the bytes, or `null` without a body. */
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null
  /** Aborts when the client stops waiting; `undefined` if the client cannot stop waiting. */
  readonly signal: AbortSignal | undefined
  /**
   * The signal's owner. Keep a reference to it, because a `Request`'s signal no longer aborts after the `Request` is
   * garbage-collected.
   */
  readonly request: Request | undefined
}

const LOCALHOST: RequestHeaders = new FieldListHeaders(['host', 'localhost'])
/** Matches a path that URL parsing does not change, because it has no dot segments and no characters to encode. */
const PLAIN_PATH = /^(?:\/(?:[\w~@:][\w~@:.-]*)?)+(?:\?[\w~@:.=&+%/-]*)?$/
const PLAIN_NAME = /^[a-z][a-z\d-]*$/
const PLAIN_VALUE = /^[!-~](?:[ -~]*[!-~])?$/
const PLAIN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Members of an `init` that the fast path supports. An `init` with any other member is processed by `Request`. */
const PLAIN_INIT: ReadonlySet<string> = new Set(['method', 'headers', 'body', 'signal'])

/**
 * Splits a request into its parts. A relative URL is resolved against `http://localhost`.
 *
 * Simple requests are parsed without a `Request`, whose construction costs many times more than the response.
 *
 * @throws {TypeError} in the same cases as `new Request()`
 */
// docs/decisions/0021
export function memoryRequest(input: string | URL | Request, init?: RequestInit): MemoryRequest {
  if (input instanceof Request) return ofRequest(init === undefined ? input : new Request(input, init))
  if (typeof input === 'string' && isPlainPath(input)) {
    const plain = ofPlain(input, init)
    if (plain !== undefined) return plain
  }
  return ofRequest(new Request(new URL(input, 'http://localhost'), init))
}

/** Reports whether URL parsing would keep the path unchanged. A path that starts with `//` names another host. */
function isPlainPath(path: string): boolean {
  return path.charCodeAt(1) !== 0x2f && PLAIN_PATH.test(path)
}

function ofPlain(target: string, init: RequestInit = {}): MemoryRequest | undefined {
  for (const name in init) if (!PLAIN_INIT.has(name)) return undefined
  const { method = 'GET', headers, body = null, signal } = init
  if (!PLAIN_METHODS.has(method)) return undefined
  const isText = typeof body === 'string'
  if (body !== null && (method === 'GET' || method === 'HEAD' || !(isText || body instanceof Uint8Array))) {
    return undefined
  }
  return {
    scheme: 'http',
    method,
    target,
    headers: headers === undefined && !isText ? LOCALHOST : new FieldListHeaders(fieldsOf(headers, isText)),
    // Copy the bytes, as `Request` does.
    body: isText ? Buffer.from(body) : body === null ? null : new Uint8Array(body),
    signal: signal ?? undefined,
    request: undefined,
  }
}

function fieldsOf(headers: RequestInit['headers'], isText: boolean): FieldList {
  const fields = ['host', 'localhost']
  let hasType = false
  for (const [name, value] of isPlainRecord(headers) ? Object.entries(headers) : new Headers(headers)) {
    if (name === 'content-type') hasType = true
    if (name === 'host') fields[1] = value
    else fields.push(name, value)
  }
  if (isText && !hasType) fields.push('content-type', 'text/plain;charset=UTF-8')
  return fields
}

/** Reports whether `Headers` would accept each field unchanged. */
function isPlainRecord(headers: RequestInit['headers']): headers is Record<string, string> {
  if (typeof headers !== 'object' || Object.getPrototypeOf(headers) !== Object.prototype) return false
  for (const [name, value] of Object.entries(headers)) {
    if (!PLAIN_NAME.test(name) || typeof value !== 'string' || !PLAIN_VALUE.test(value)) return false
  }
  return true
}

function ofRequest(request: Request): MemoryRequest {
  const { url, method, headers, body, signal } = request
  // The URL is normalized: scheme, '//', host, and a path that is never empty.
  const hostStart = url.indexOf('//') + 2
  const pathStart = url.indexOf('/', hostStart)
  const fragment = url.indexOf('#', pathStart)
  const credentials = url.lastIndexOf('@', pathStart)
  const host = url.slice(credentials < hostStart ? hostStart : credentials + 1, pathStart)
  return {
    scheme: url.startsWith('https:') ? 'https' : 'http',
    method,
    target: fragment === -1 ? url.slice(pathStart) : url.slice(pathStart, fragment),
    headers: new StandardHeaders(headers, host),
    body,
    signal,
    request,
  }
}
