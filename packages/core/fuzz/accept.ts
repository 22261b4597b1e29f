import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { preferred } from '../src/context/accepts.ts'
import { FieldListHeaders } from '../src/engine/fields/field-list-headers.ts'

const OFFERS = ['text/html', 'application/json', 'text/plain'] as const
const RANGES: readonly string[] = [
  'text/html',
  'text/*',
  '*/*',
  'application/json',
  'TEXT/HTML',
  'text/plain;format=flowed',
  '*',
  'a',
  '/',
  '',
  'text/html;level=1',
]
const WEIGHTS: readonly string[] = [
  '',
  '',
  ';q=1',
  ';q=0',
  ';q=0.5',
  '; Q=0.001',
  ';q=x',
  ';q=-1',
  ';q=1e9',
  ';q="0.5"',
  ';q=',
]
const PIECES: readonly string[] = [',', ';', '=', '"', '\\', '*', '/', ' ', '\t', 'q', '0', '\xa0', 'text']

const target: FuzzTarget<string> = {
  parser: 'Accept, Accept-Language and Accept-Encoding (RFC 9110 §12.5)',
  generate(random: Random) {
    if (random.chance(0.01)) return random.pick([...PIECES, 'text/html;q=0.5,', ';q=0.1']).repeat(random.below(4000))
    const member = (): string => random.pick(RANGES) + random.pick(WEIGHTS)
    const text = [member(), ...random.list(0.6, member)].join(random.pick([',', ', ', ' ,,']))
    return random.chance(0.3) ? mutate(text, random, PIECES) : text
  },
  check(value) {
    const choose = (field: string, offers: readonly string[]): string | null => {
      const what = field === 'accept' ? 'type' : field === 'accept-language' ? 'language' : 'encoding'
      return preferred(what, offers, new FieldListHeaders([field, value]))
    }
    const type = choose('accept', OFFERS)
    assert.ok(type === null || OFFERS.includes(type as never), 'A type that was not offered')
    for (const field of ['accept-language', 'accept-encoding']) {
      const chosen = choose(field, ['de', 'gzip', 'en'])
      assert.ok(chosen === null || ['de', 'gzip', 'en'].includes(chosen))
    }
    // The order of the offers only breaks ties. The type that is selected from all offers is also selected if it is the only
    // one.
    if (type !== null) assert.equal(choose('accept', [type]), type)
    else for (const offer of OFFERS) assert.equal(choose('accept', [offer]), null)
    // RFC 9110 §12.5.1: a type that is listed without a weight is acceptable.
    if (/^text\/html(?:, ?[a-z]+\/[a-z]+)*$/.test(value)) assert.ok(type !== null)
    if (value === '') assert.equal(type, OFFERS[0])
  },
}
export default target
