import type { TestField } from './client.ts'
import { ByteReader } from './h1/byte-reader.ts'
import { sliceSource } from './byte-source.ts'
import { readBody } from './h1/read-body.ts'
import { readHead } from './h1/read-head.ts'
import { responseFraming } from './h1/response-framing.ts'
import { checkResponseHead } from './response-rules.ts'

/** Parsed response. Each 1xx response counts separately. */
export interface ParsedResponse {
  readonly status: number
  readonly reason: string
  readonly fields: readonly TestField[]
  readonly body: Uint8Array
  readonly trailers: readonly TestField[]
}

/**
 * Parses the HTTP/1.1 responses that `rawExchange` collected, as strictly as the client.
 *
 * @param methods Methods of the requests in order, because a response to HEAD has no body. Default `GET`
 * @throws {MalformedResponse} if a response breaks the protocol
 * @throws {IncompleteResponse} if the bytes end within a response
 */
export async function parseResponses(
  bytes: Uint8Array | readonly Uint8Array[],
  methods: readonly string[] = [],
): Promise<ParsedResponse[]> {
  const reader = new ByteReader(sliceSource(bytes instanceof Uint8Array ? [bytes] : bytes))
  const responses: ParsedResponse[] = []
  for (let responded = 0; !(await reader.isAtEnd());) {
    const head = await readHead(reader)
    if (head.status < 200) {
      responses.push({ ...head, body: new Uint8Array(), trailers: [] })
      continue
    }
    checkResponseHead(head.status, head.fields)
    const framing = responseFraming(methods[responded++] ?? 'GET', head.status, head.fields)
    const slices: Uint8Array[] = []
    const iterator = readBody(reader, framing)
    let step = await iterator.next()
    for (; step.done !== true; step = await iterator.next()) slices.push(step.value)
    responses.push({ ...head, body: Buffer.concat(slices), trailers: step.value })
  }
  return responses
}
