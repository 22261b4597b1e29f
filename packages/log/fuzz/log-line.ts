import assert from 'node:assert/strict'
import { randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { Level } from '../src/index.ts'
import { jsonLine } from '../src/lines/json-line.ts'
import { compilePattern } from '../src/lines/pattern.ts'
import { logRecord } from '../src/testing.ts'
import { LineBuffer } from '../src/text/line-buffer.ts'

/** Text from a client, as a message and as a field. */
interface Input {
  readonly message: string
  readonly field: string
}

/** Matches characters that end a line, move the cursor or are invisible. */
const UNSAFE =
  /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\p{Surrogate}]/u
const PIECES: readonly string[] = [
  'a',
  '\n',
  '\r\n',
  '\t',
  '\0',
  '\x1b[2J',
  '\x7f',
  '\x85',
  '\x9b31m',
  '\xad',
  '\xa0',
  '\\',
  '"',
  '{}',
  '\xff',

  '\u061c',
  '\u180e',
  '\u200b',
  '\u200d',
  '\u2028',
  '\u202e',
  '\u2060',
  '\u2066',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\u{1f600}',
  '] [FATAL] forged',
  '[2026-01-02 03:04:05.006] [FATAL] forged',
]
const pattern = compilePattern({ showLocation: false, showThreadId: false, utc: true })

const target: FuzzTarget<Input> = {
  parser: 'text from clients in log lines, plain and JSON',
  generate: (random) => ({ message: text(random), field: text(random) }),
  check({ message, field }) {
    const record = logRecord({ level: Level.Info, message, fields: { field } })
    const line = pattern(record)
    assert.doesNotMatch(line, UNSAFE)
    assert.match(line, /^\[2026-01-02 03:04:05\.006\] \[INFO \] /)

    const json = jsonLine(record)
    assert.doesNotMatch(json, UNSAFE)
    const entry = JSON.parse(json) as { message: string; fields: { field: string } }
    assert.deepEqual([entry.message, entry.fields.field], [message, field])

    const buffer = new LineBuffer()
    buffer.addText(line)
    assert.deepEqual(Buffer.from(buffer.bytes.subarray(0, buffer.length)).toString(), line)
  },
}
export default target

function text(random: Random): string {
  if (random.chance(0.002)) return random.pick(PIECES).repeat(random.below(20_000))
  const parts = random.list(0.7, () => (random.chance(0.2) ? randomBytes(random, 8) : random.pick(PIECES)))
  return parts.join('')
}
