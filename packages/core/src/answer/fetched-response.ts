/** Content codings that `fetch()` takes off. */
const DECODED: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br', 'zstd'])
const NONE: ReadonlySet<string> = new Set()
/** What is said of the connection that the `Response` came by. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection'])
/** The same, and what is not true any more of a body that was decoded. */
const OF_CODED_BODY: ReadonlySet<string> = new Set([...OF_CONNECTION, 'content-encoding', 'content-length'])

/**
 * Names of the fields that are not passed on with a `Response`: none of one that was made here. One that `fetch()` gave
 * came by another connection, and its body has been decoded though its fields say how it was coded (Fetch standard, "HTTP
 * network fetch").
 */
export function fieldsLeftOut(response: Response): ReadonlySet<string> {
  // Only what was fetched has a URL.
  if (response.url === '') return NONE
  const codings = response.headers.get('content-encoding')
  if (codings === null || response.body === null) return OF_CONNECTION
  const isDecoded = codings.split(',').every((coding) => DECODED.has(coding.trim().toLowerCase()))
  return isDecoded ? OF_CODED_BODY : OF_CONNECTION
}
