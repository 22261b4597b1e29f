import type { TestField } from '../client.ts'
import { MalformedResponse } from '../response-error.ts'
import { checkFields } from '../response-rules.ts'
import type { ByteReader } from './byte-reader.ts'

/**
 * Maximum length of a line, far above that of any tested response. It limits the memory if a server sends an endless
 * line.
 */
const MAX_LINE_BYTES = 256 * 1024
const MAX_FIELDS = 10_000

/** Status line and fields of one response. */
export interface ResponseHead {
  readonly status: number
  readonly reason: string
  readonly fields: readonly TestField[]
}

/**
 * Reads a status line and its header section.
 *
 * @throws {MalformedResponse} if RFC 9112 §4 or §5 forbids it, or if the version is not HTTP/1.1
 */
export async function readHead(reader: ByteReader): Promise<ResponseHead> {
  const line = await reader.line(MAX_LINE_BYTES)
  const match = /^HTTP\/1\.1 ([1-5]\d\d) ([\t\x20-\x7e\x80-\xff]*)$/.exec(line)
  if (match === null) throw new MalformedResponse(`Invalid status line ${JSON.stringify(line)}`)
  return { status: Number(match[1]), reason: match[2] ?? '', fields: await readFields(reader) }
}

/** Reads a header or trailer section and its empty line. @throws {MalformedResponse} like `readHead` */
export async function readFields(reader: ByteReader): Promise<TestField[]> {
  const fields: TestField[] = []
  for (;;) {
    const line = await reader.line(MAX_LINE_BYTES)
    if (line === '') break
    if (fields.length === MAX_FIELDS) throw new MalformedResponse(`More than ${MAX_FIELDS} fields`)
    const colon = line.indexOf(':')
    if (colon === -1) throw new MalformedResponse(`Field line ${JSON.stringify(line)} has no colon`)
    fields.push([line.slice(0, colon), line.slice(colon + 1).replace(/^[\t ]+|[\t ]+$/g, '')])
  }
  checkFields(fields)
  return fields
}
