import type { BodySource } from '@fw/types'

/**
 * The members of a `Response` that a response is made from. Node.js, other realms, npm's `undici` and `node-fetch`, and
 * `@whatwg-node/fetch` (GraphQL Yoga) each have a class of their own.
 */
export interface ResponseLike {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]> & {
    getSetCookie?(): readonly string[]
    /** Has `node-fetch` instead of `getSetCookie`. */
    raw?(): Readonly<Record<string, readonly string[]>>
  }
  readonly body?: BodySource | null
  readonly bodyUsed?: boolean
  readonly url?: string
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Reports whether an object has the members of a `Response` that a response is made of. */
export function isResponseLike(value: object): value is ResponseLike {
  // The cheapest check first: few other objects have this method.
  if (!('arrayBuffer' in value) || !('status' in value) || !('headers' in value)) return false
  const { arrayBuffer, status, headers } = value
  const isIterable = typeof headers === 'object' && headers !== null && Symbol.iterator in headers
  return typeof arrayBuffer === 'function' && typeof status === 'number' && isIterable
}

/** Returns what the body of a `Response` is read from; `null` for none. */
export function bodyOfResponse(response: ResponseLike): BodySource | null {
  const { body } = response
  if (body === undefined) return wholeBody(response)
  return body
}

/** Reads a `Response` that has no stream. */
async function* wholeBody(response: ResponseLike): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(await response.arrayBuffer())
}

/** Returns the fields to send with a `Response`: names in lower case, and each cookie on its own. */
export function responseFields(response: ResponseLike): [name: string, value: string][] {
  const { headers } = response
  const isLeftOut = omittedFields(response)
  const fields: [name: string, value: string][] = []
  const joined: string[] = []
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    if (name === 'set-cookie') joined.push(value)
    else if (!isLeftOut.has(name)) fields.push([name, value])
  }
  // The iterator of `node-fetch` joins cookies, which cannot be undone: a date has a comma.
  if (joined.length === 0) return fields
  const cookies = headers.getSetCookie?.() ?? headers.raw?.()['set-cookie'] ?? joined
  for (const cookie of cookies) fields.push(['set-cookie', cookie])
  return fields
}

/** Content codings that `fetch()` takes off. */
const DECODED: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd'])
const NONE: ReadonlySet<string> = new Set()
/** Describes the connection through which the `Response` arrived. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection'])
/** Those of the connection, and those that are not true of a body that was decoded. */
const OF_CODED_BODY: ReadonlySet<string> = new Set([...OF_CONNECTION, 'content-encoding', 'content-length'])

/**
 * Returns the names of the fields that are not sent. A `Response` that the handler made loses none. One that `fetch()` gave
 * arrived through another connection, and its body is decoded, but its fields describe the coded body (Fetch standard,
 * "HTTP-network fetch").
 */
function omittedFields(response: ResponseLike): ReadonlySet<string> {
  // Only what was fetched has a URL.
  if (response.url === undefined || response.url === '') return NONE
  const codings = fieldValue(response, 'content-encoding')
  if (codings === undefined || response.body === null) return OF_CONNECTION
  const isDecoded = codings.split(',').every((coding) => DECODED.has(coding.trim().toLowerCase()))
  return isDecoded ? OF_CODED_BODY : OF_CONNECTION
}

function fieldValue({ headers }: ResponseLike, wanted: string): string | undefined {
  for (const [name, value] of headers) if (name.toLowerCase() === wanted) return value
  return undefined
}
