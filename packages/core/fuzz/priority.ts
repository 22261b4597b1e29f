import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { parseDictionary, type Dictionary } from 'structured-headers'
import { DEFAULT_PRIORITY, parsePriority } from '../src/engine/fields/priority.ts'

const MEMBERS: readonly string[] = [
  'u=1',
  'u=7',
  'u=8',
  'u=-1',
  'u=1.0',
  'u="1"',
  'u',
  'u=?1',
  'i',
  'i=?0',
  'i=?1',
  'i=1',
  'i;a=b',
  'u=2;q=1.5',

  'x=(1 2)',
  'x=("a" b;c);d',
  'x=:YWJj:',
  'x=@1',
  'x=%"a"',
  'x=*t/a',
  'x=123456789012345',
  'x=1.123',
  'X=1',
  '',
  '*=1',
]
const PIECES: readonly string[] = [
  ',',
  ';',
  '=',
  ' ',
  '\t',
  '"',
  '\\',
  '(',
  ')',
  ':',
  '?',
  '0',
  '.',
  '-',
  'u',
  'i',
  '\x80',
  '@',
  '%',
]
/** Maximum length; a longer value is ignored completely. */
const MAX_LENGTH = 256

const target: FuzzTarget<string> = {
  parser: 'Priority (RFC 9218), compared with structured-headers',
  generate(random: Random) {
    if (random.chance(0.005)) return random.pick(PIECES).repeat(random.below(16_000))
    const text = [random.pick(MEMBERS), ...random.list(0.5, () => random.pick(MEMBERS))].join(
      random.pick([',', ', ', ' ,\t']),
    )
    return random.chance(0.4) ? mutate(text, random, PIECES) : text
  },
  check(value) {
    const priority = parsePriority(value)
    if (value.length > MAX_LENGTH) {
      assert.deepEqual(priority, DEFAULT_PRIORITY)
      return
    }
    // Skip decimals and the types that RFC 9651 added, which only one of the two parsers distinguishes.
    if (/[@%]|u=-?\d+\./.test(value)) return
    // Skip base64, which only structured-headers decodes.
    if (value.replaceAll(':YWJj:', '').includes(':')) return
    assert.deepEqual(priority, read(value))
  },
}
export default target

function read(value: string): typeof DEFAULT_PRIORITY {
  let members: Dictionary
  try {
    members = parseDictionary(value)
  } catch {
    return DEFAULT_PRIORITY
  }
  const urgency = members.get('u')?.[0]
  const isIncremental = members.get('i')?.[0]
  return {
    urgency:
      typeof urgency === 'number' && Number.isInteger(urgency) && urgency >= 0 && urgency <= 7 ? Math.abs(urgency) : 3,
    isIncremental: isIncremental === true,
  }
}
