import type { TestField } from '../client.ts'
import { MalformedResponse } from '../response-error.ts'
import { checkFields } from '../response-rules.ts'
import type { ByteReader } from './byte-reader.ts'

/** Far above what any test asks a server for; keeps a runaway head from filling the memory. */
const MAX_LINE_BYTES = 256 * 1024
const MAX_FIELDS = 10_000

/** Status and fields of one response. */
export interface ResponseHead {
  readonly status: number
  readonly reason: string
  readonly fields: readonly TestField[]
}

/**
 * Reads a status line and the fields after it.
 *
 * @throws {MalformedResponse} for anything that RFC 9112 §4 and §5 do not allow a server to send; HTTP/1.0 too
 */
export async function readHead(reader: ByteReader): Promise<ResponseHead> {
  const line = await reader.line(MAX_LINE_BYTES)
  const match = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e\x80-\xff]*)$/.exec(line)
  if (match === null) throw new MalformedResponse(`Status line ${JSON.stringify(line)}`)
  return { status: Number(match[1]), reason: match[2] ?? '', fields: await readFields(reader) }
}

/** Reads field lines as far as the empty line: a header or a trailer section. @throws as `readHead` */
export async function readFields(reader: ByteReader): Promise<TestField[]> {
  const fields: TestField[] = []
  for (;;) {
    const line = await reader.line(MAX_LINE_BYTES)
    if (line === '') break
    if (fields.length === MAX_FIELDS) throw new MalformedResponse('Too many fields')
    const colon = line.indexOf(':')
    if (colon === -1) throw new MalformedResponse(`Field line ${JSON.stringify(line)} has no colon`)
    fields.push([line.slice(0, colon), line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')])
  }
  checkFields(fields)
  return fields
}
