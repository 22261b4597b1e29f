import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { formatHttpDate, parseHttpDate } from '@fw/http-fields'
import { planResponse } from '../src/http/plan-response.ts'
import { evaluate, tagsIn } from './conditional/reference.ts'

/** A request with conditions, and the file's validators. */
export interface Input {
  readonly method: string
  readonly fields: Readonly<Record<string, string>>
  readonly etag: string
  readonly lastModified: number
}

const TAGS: readonly string[] = ['"a"', 'W/"a"', '"b"', 'W/"b"', '"a,b"', '""', '"a\\"', 'w/"a"', 'a', '*', '"']
const SECONDS = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000
const DATES: readonly string[] = [
  'Fri, 02 Jan 2026 03:04:05 GMT',
  'Fri, 02 Jan 2026 03:04:04 GMT',
  'Fri, 02 Jan 2026 03:04:06 GMT',
  'Friday, 02-Jan-26 03:04:05 GMT',
  'Fri Jan  2 03:04:05 2026',
  'Mon, 30 Feb 2026 00:00:00 GMT',
  'Wed, 31 Dec 9999 23:59:60 GMT',
  'Fri, 02 Jan 0001 03:04:05 GMT',
  '0',
]
const PIECES: readonly string[] = ['"', ',', 'W/', '*', ' ', '\t', '\\', ':', '6', 'GMT', '-', '\x80', '\u00a0']

const target: FuzzTarget<Input> = {
  parser: 'If-Match, If-None-Match, If-Range and dates (RFC 9110 §13)',
  generate(random) {
    const fields: Record<string, string> = {}
    const add = (name: string, value: string): void => {
      if (random.chance(0.35)) fields[name] = spoil(value, random)
    }
    add('if-match', tags(random))
    add('if-none-match', tags(random))
    add('if-modified-since', random.pick(DATES))
    add('if-unmodified-since', random.pick(DATES))
    add('if-range', random.chance(0.5) ? random.pick(TAGS) : random.pick(DATES))
    add('range', 'bytes=0-1')
    return {
      method: random.pick(['GET', 'GET', 'HEAD', 'POST']),
      fields,
      etag: random.pick(['"a"', 'W/"a"', '"a,b"', '""']),
      lastModified: SECONDS,
    }
  },
  check(input) {
    const { method, fields, etag, lastModified } = input
    // A minimized input can contain an invalid tag, which no file has.
    if (tagsIn(etag).length !== 1) return
    const headers = { get: (name: string) => (Object.hasOwn(fields, name) ? (fields[name] ?? null) : null) }
    const plan = planResponse(method, headers, { etag, lastModified, size: 10 })
    assert.equal(plan.status, evaluate(input))
    for (const field of Object.values(fields)) checkDate(field)
  },
}
export default target

function tags(random: Random): string {
  return [random.pick(TAGS), ...random.list(0.4, () => random.pick(TAGS))].join(random.pick([', ', ',', ' ,,']))
}

function spoil(text: string, random: Random): string {
  if (random.chance(0.003)) return random.pick(PIECES).repeat(random.below(16_000))
  return random.chance(0.25) ? mutate(text, random, PIECES) : text
}

/** Checks that a parsed date is correct: formatting it returns an equal date. */
function checkDate(text: string): void {
  const seconds = parseHttpDate(text)
  if (seconds === undefined) return
  assert.ok(Number.isSafeInteger(seconds))
  const written = formatHttpDate(seconds)
  // The leap second at the end of 9999 belongs to the year 10000.
  if (written === undefined) return
  assert.equal(parseHttpDate(written), seconds)
  if (/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/.test(text) && !text.includes(':60 ')) {
    // Compare everything except the day of the week, which recipients do not need.
    assert.equal(written.slice(3), text.slice(3))
  }
  assert.deepEqual(tagsIn(text), [])
}
