import assert from 'node:assert/strict'
import { mutate, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import { decodeEntry, entryOf, parseEntries, parseRead, type RedisEntry } from '../src/backplane/redis/entry.ts'
import type { BackplaneHost } from '../src/backplane/backplane.ts'
import { SseChannel } from '../src/index.ts'

/** A Redis reply to `XREAD`: entries from any program, in one of the forms in the Redis protocol. */
interface Input {
  readonly entries: readonly { readonly id: string; readonly fields: readonly string[] }[]
  readonly form: 'array' | 'flat' | 'map' | 'object'
}

const BODIES: readonly string[] = [
  '{"event":"e","data":"d"}',
  '{"event":"e","data":"d","id":"7","key":"k"}',
  '{"event":"","data":"a\\nb\\r\\nc","id":""}',
  '{"event":"a\\nb","data":"d"}',
  '{"event":"e","data":"d","id":"\\u0000"}',
  '{"event":1,"data":"d"}',
  '{"event":"e","data":"d","key":null}',
  '{"__proto__":{"event":"e","data":"d"}}',
  '[]',
  'null',
  '"text"',
  '{',
  '',
]
const VALUES: readonly string[] = [
  '',
  '0',
  '1',
  '2',
  '-1',
  '1e999',
  'NaN',
  '0x10',
  ' 1',
  'a b',
  '1-0',
  '1-1',
  'AbC_-9',
  '9007199254740993',
  ' ',
]
const PIECES: readonly string[] = [
  '"',
  '{',
  '}',
  ',',
  ':',
  '\\',
  ' ',
  '\n',
  '-',
  '0',
  '\u2028',
  '\ud800',
  'event',
  'null',
]

const target: FuzzTarget<Input> = {
  parser: 'Redis replies to the @fw/sse backplane',
  generate: (random) => ({
    entries: random.list(0.7, () => ({ id: `${1 + random.below(3)}-${random.below(3)}`, fields: fields(random) })),
    form: random.pick(['array', 'flat', 'map', 'object']),
  }),
  async check({ entries, form }) {
    // Redis generates the IDs itself.
    if (!entries.every(({ id }) => /^\d+-\d+$/.test(id))) return
    const list = entries.map(({ id, fields: values }) => [id, values])
    const parsed = parseRead(inForm(list, form))
    assert.deepEqual(parsed, parseEntries(list), 'The form of the reply changes the entries')
    assert.deepEqual(
      parsed.map(({ entryId }) => entryId),
      entries.map(({ id }) => id),
    )
    for (const entry of parsed) checkRestored(entry)
    await checkChannel(parsed)
  },
}
export default target

function fields(random: Random): string[] {
  const given: string[] = []
  for (const name of ['o', 's', 'p']) if (random.chance(0.8)) given.push(name, random.pick(VALUES))
  const body = random.pick(BODIES)
  if (random.chance(0.9)) given.push('m', random.chance(0.3) ? mutate(body, random, PIECES) : body)
  if (random.chance(0.1)) given.splice(random.below(given.length + 1), 1, random.pick(VALUES))
  return given
}

function inForm(entries: readonly unknown[], form: Input['form']): unknown {
  if (form === 'array') return [['key', entries]]
  if (form === 'flat') return ['key', entries]
  return form === 'map' ? new Map([['key', entries]]) : { key: entries }
}

/** Checks that restoring a lost entry restores the delivered event. */
function checkRestored(entry: RedisEntry): void {
  const event = decodeEntry(entry)
  if (event === undefined) return
  const restored = entryOf(event)
  const { body, ...place } = restored
  assert.deepEqual(place, {
    entryId: entry.entryId,
    origin: entry.origin,
    number: entry.number,
    previous: entry.previous,
  })
  assert.deepEqual(decodeEntry(restored), event)
  assert.ok(body.length > 0)
}

/** Checks that a channel delivers each event or rejects it with an error of the documented class, and remains usable. */
async function checkChannel(entries: readonly RedisEntry[]): Promise<void> {
  let host: BackplaneHost | undefined
  const backplane = {
    open: async (given: BackplaneHost): Promise<void> => void (host = given),
    publish: (): void => {},
    catchUp: async (): Promise<void> => {},
    close: async (): Promise<void> => {},
  }
  const channel = new SseChannel({ backplane })
  let delivered = 0
  for (const entry of entries) {
    const event = decodeEntry(entry)
    if (event === undefined) continue
    try {
      host?.deliver(event)
      delivered++
    } catch (error) {
      assert.ok(error instanceof TypeError || error instanceof RangeError)
      assert.match(error.message, /^host\.deliver: /)
    }
  }
  assert.equal(channel.stats.keptEvents, delivered)
  for (const kept of host?.kept() ?? []) assert.match(kept.position, /^\d+-\d+ /)
  await channel.close()
}
