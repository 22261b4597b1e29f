import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import {
  parseDictionary,
  parseItem,
  parseList,
  serializeDictionary,
  serializeItem,
  serializeList,
} from '../src/index.ts'

const VALUES: readonly string[] = [
  '1',
  '-12.5',
  '999999999999999',
  '"a \\"b\\""',
  'token/x',
  '*',
  ':YWJj:',
  '?0',
  '@1659578233',
  '%"f%c3%bc"',
  '(a "b" 1;q)',
  '()',
]
const PIECES: readonly string[] = [
  ',',
  ';',
  '=',
  '"',
  '\\',
  ':',
  '?',
  '@',
  '%"',
  '(',
  ')',
  ' ',
  '\t',
  '.',
  '-',
  'q=',
  '\x7f',
  '\xfc',
]

const target: FuzzTarget<string> = {
  parser: 'structured fields (RFC 9651)',
  generate: field,
  check(value) {
    const item = parseItem(value)
    if (item !== undefined)
      assertStable(serializeItem(item.value, item.parameters), parseItem, (again) =>
        serializeItem(again.value, again.parameters),
      )
    const list = parseList(value)
    if (list !== undefined) assertStable(serializeList(list), parseList, serializeList)
    const dictionary = parseDictionary(value)
    if (dictionary !== undefined) assertStable(serializeDictionary(dictionary), parseDictionary, serializeDictionary)
  },
}
export default target

/** Checks that serializing the canonical form of a field again does not change it. */
function assertStable<T>(
  canonical: string,
  parse: (field: string) => T | undefined,
  serialize: (value: T) => string,
): void {
  const again = parse(canonical)
  assert(again !== undefined, 'The canonical form is malformed')
  assert.equal(serialize(again), canonical)
}

function field(random: Random): string {
  const members: string[] = []
  for (let i = random.below(4); i >= 0; i--) {
    let member = random.pick(VALUES)
    if (random.chance(0.5)) member = `${random.pick(['a', 'b', '*c'])}=${member}`
    while (random.chance(0.3))
      member += `;${random.pick(['q', 'r-1'])}${random.chance(0.5) ? `=${random.pick(VALUES)}` : ''}`
    members.push(member)
  }
  const text = members.join(random.pick([', ', ',', ' ,\t']))
  return random.chance(0.5) ? text : mutate(text, random, PIECES)
}
