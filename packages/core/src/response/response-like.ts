import type { BodySource } from '@fw/types'

/**
 * Members of a `Response` that are read to send it. Node.js, other realms, npm's `undici` and `node-fetch`, and
 * `@whatwg-node/fetch` (GraphQL Yoga) each have their own class.
 */
export interface ResponseLike {
  readonly status: number
  readonly headers: Iterable<readonly [name: string, value: string]> & {
    getSetCookie?(): readonly string[]
    /** Returns all values by name. `node-fetch` has this method instead of `getSetCookie`. */
    raw?(): Readonly<Record<string, readonly string[]>>
  }
  readonly body?: BodySource | null
  readonly bodyUsed?: boolean
  readonly url?: string
  arrayBuffer(): Promise<ArrayBuffer>
}

/** Reports whether an object has the members of `ResponseLike`. */
export function isResponseLike(value: object): value is ResponseLike {
  // Check this method first, because few other objects have it.
  if (!('arrayBuffer' in value) || !('status' in value) || !('headers' in value)) return false
  const { arrayBuffer, status, headers } = value
  const isIterable = typeof headers === 'object' && headers !== null && Symbol.iterator in headers
  return typeof arrayBuffer === 'function' && typeof status === 'number' && isIterable
}

/** Returns the source of a `Response` body, or `null` if there is no body. */
export function bodyOfResponse(response: ResponseLike): BodySource | null {
  const { body } = response
  if (body === undefined) return wholeBody(response)
  return body
}

/** Yields the whole body of a `Response` without a stream. */
async function* wholeBody(response: ResponseLike): AsyncGenerator<Uint8Array, void, undefined> {
  yield new Uint8Array(await response.arrayBuffer())
}

/** Returns the fields to send for a `Response`, with names in lower case and one field per cookie. */
export function responseFields(response: ResponseLike): [name: string, value: string][] {
  const { headers } = response
  const omitted = omittedFields(response)
  const fields: [name: string, value: string][] = []
  const joined: string[] = []
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    if (name === 'set-cookie') joined.push(value)
    else if (!omitted.has(name)) fields.push([name, value])
  }
  // The `node-fetch` iterator joins cookies. They cannot be split again, because a date contains a comma.
  if (joined.length === 0) return fields
  const cookies = headers.getSetCookie?.() ?? headers.raw?.()['set-cookie'] ?? joined
  for (const cookie of cookies) fields.push(['set-cookie', cookie])
  return fields
}

/** Content codings that `fetch()` decodes. */
const DECODED: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd'])
const NONE: ReadonlySet<string> = new Set()
/** Fields that describe the connection over which the `Response` arrived. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection'])
/** Fields that describe the connection or the encoded body, and do not apply to the decoded body. */
const OF_CODED_BODY: ReadonlySet<string> = new Set([...OF_CONNECTION, 'content-encoding', 'content-length'])

/**
 * Returns the names of fields to omit. A `Response` that the handler created keeps all fields. The fields of a fetched
 * `Response` describe the connection over which it arrived and the encoded body, even though the body is decoded
 * (Fetch standard, "HTTP-network fetch").
 */
function omittedFields(response: ResponseLike): ReadonlySet<string> {
  // Only a fetched `Response` has a URL.
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
