import assert from 'node:assert/strict'
import { cut, mutate, Random, randomBytes, type FuzzTarget } from '@fw/testing/fuzz'
import { encodeEvent, type ServerSentEvent } from '../src/stream/event.ts'
import { EventReader, parseEvents } from '../src/testing.ts'
import { parseEventStream } from '../test/parse-event-stream.ts'

/** The bytes of a stream, one character each, and an event to encode. */
interface Input {
  readonly stream: string
  readonly event: ServerSentEvent
}

const LINES: readonly string[] = [
  'data: a',
  'data:b',
  'data',
  'data:  c',
  'event: e',
  'event:',
  'id: 7',
  'id',
  'id: a\0b',
  'retry: 100',
  'retry: 1e3',
  'retry:',
  ': comment',
  ':',
  'unknown: x',
  'Data: x',
  'dat\xc3\xa9: x',
  'data: \xe2\x82\xac',
  'data: \xff',
  '',
  '',
  '',
]
const BREAKS: readonly string[] = ['\n', '\n', '\r', '\r\n']
const PIECES: readonly string[] = ['\n', '\r', ':', ' ', '\0', '\xef\xbb\xbf', '\xe2', 'data', 'id', '\t', '9']
const TEXTS: readonly string[] = [
  '',
  'a',
  ' a',
  'a\nb',
  'a\r\nb',
  'a\rb\r',
  '\n',
  '\0',
  '\ufeff',
  '\u2028',
  '\ud800',
  ': x',
  'data: x',
  '\u20ac',
]

const target: FuzzTarget<Input> = {
  parser: 'event streams (HTML §9.2) in the reader from @fw/sse/testing, and the event encoder',
  generate: (random) => ({ stream: stream(random), event: event(random) }),
  check({ stream: bytes, event: block }) {
    const buffer = Buffer.from(bytes, 'latin1')
    const whole = resultOf(parseEvents(buffer))
    const expected = parseEventStream(new TextDecoder('utf-8', { ignoreBOM: true }).decode(buffer))
    assert.deepEqual({ ...whole, comments: undefined }, { ...expected, comments: undefined })
    const reader = new EventReader()
    for (const slice of cut(buffer, Random.of(bytes))) reader.feed(slice)
    assert.deepEqual(resultOf(reader), whole, 'The slices change the events')
    checkEncoded(block)
  },
}
export default target

function stream(random: Random): string {
  if (random.chance(0.003)) return random.pick(PIECES).repeat(random.below(30_000))
  if (random.chance(0.02)) return randomBytes(random, 60)
  const lines = random.list(0.9, () => random.pick(LINES) + random.pick(BREAKS))
  const text = '\xef\xbb\xbf'.repeat(random.pick([0, 0, 0, 0, 1, 2])) + lines.join('')
  return random.chance(0.2) ? mutate(text, random, PIECES) : text
}

function event(random: Random): ServerSentEvent {
  const given: Record<string, string | number> = {}
  for (const name of ['comment', 'event', 'id', 'data']) if (random.chance(0.6)) given[name] = random.pick(TEXTS)
  if (random.chance(0.2)) given['retry'] = random.pick([0, 1000, -1, 1.5])
  return given
}

function resultOf({ events, lastEventId, retryMs, comments }: EventReader): object {
  return { events, lastEventId, retryMs, comments }
}

/** Checks that a reader finds exactly the encoded event between two other events, or that the encoder rejects the event. */
function checkEncoded(block: ServerSentEvent): void {
  let encoded
  try {
    encoded = encodeEvent(block)
  } catch (error) {
    assert.ok(error instanceof TypeError || error instanceof RangeError)
    assert.match(error.message, /^encodeEvent: /)
    return
  }
  const before = 'id: first\ndata: 1\n\n'
  const { events } = parseEvents(Buffer.from(`${before}${encoded}data: 3\n\n`))
  const hasData = block.data !== undefined || (block.event ?? '') !== ''
  assert.equal(events.length, hasData ? 3 : 2)
  const id = (block.id ?? 'first').toWellFormed()
  assert.deepEqual(events.at(-1), { type: 'message', data: '3', lastEventId: id })
  if (!hasData) return
  const data = (block.data ?? '').toWellFormed().replaceAll(/\r\n?/g, '\n')
  assert.deepEqual(events[1], { type: block.event?.toWellFormed() || 'message', data, lastEventId: id })
}
