import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseEventStream } from '../../test/parse-event-stream.ts'
import { encodeEvent, type ServerSentEvent } from './event.ts'

const ONE_LINE = 'must be without line breaks'
const LINES = 'Only data and comments can have several lines.'
const NO_CONTROLS = 'must be without control characters'
const ENCODE = 'Encode it, for example with encodeURIComponent().'
const CONVERT = 'Convert it, for example with String() or JSON.stringify().'

describe('encodeEvent', () => {
  it.each<[string, ServerSentEvent, string]>([
    ['data', { data: 'x' }, 'data: x\n\n'],
    ['empty data, so that the event dispatches', { data: '' }, 'data: \n\n'],
    ['one data line per line, whatever ends it', { data: 'a\nb\rc\r\nd' }, 'data: a\ndata: b\ndata: c\ndata: d\n\n'],
    ['CR CR LF as two line breaks', { data: 'a\r\r\nb' }, 'data: a\ndata: \ndata: b\n\n'],
    ['LF CR as two line breaks', { data: 'a\n\rb' }, 'data: a\ndata: \ndata: b\n\n'],
    ['a line break at the end as an empty last line', { data: 'a\n' }, 'data: a\ndata: \n\n'],
    ["leading spaces after the field's own space", { data: '  a' }, 'data:   a\n\n'],
    [
      'characters that only look like a line break',
      { data: 'a\u2028b\u0085c\vd\fe' },
      'data: a\u2028b\u0085c\vd\fe\n\n',
    ],
    ['NUL and U+FEFF in data', { data: '\uFEFF\0' }, 'data: \uFEFF\0\n\n'],
    ['a name', { event: 'tick', data: 'x' }, 'event: tick\ndata: x\n\n'],
    ['an empty name as no name', { event: '', data: 'x' }, 'data: x\n\n'],
    ['a name without data with one empty line', { event: 'tick' }, 'event: tick\ndata: \n\n'],
    ['NUL in a name', { event: 'a\0b', data: '' }, 'event: a\0b\ndata: \n\n'],
    ['an id alone', { id: '5' }, 'id: 5\n\n'],
    ['an id with TAB and non-ASCII characters', { id: 'a\té\u2028' }, 'id: a\té\u2028\n\n'],
    ['an empty id', { id: '', data: 'x' }, 'id: \ndata: x\n\n'],
    ['retry', { retry: 0 }, 'retry: 0\n\n'],
    ['the largest retry', { retry: Number.MAX_SAFE_INTEGER }, 'retry: 9007199254740991\n\n'],
    ['a comment of several lines', { comment: 'a\n\nb' }, ': a\n: \n: b\n\n'],
    ['an empty comment', { comment: '' }, ': \n\n'],
    [
      'all fields in order',
      { data: 'd', retry: 1, id: 'i', event: 'e', comment: 'c' },
      ': c\nevent: e\nid: i\nretry: 1\ndata: d\n\n',
    ],
    ['nothing if there is no field', {}, ''],
    ['nothing if there is only an empty name', { event: '' }, ''],
    [
      'absent fields',
      { event: undefined, id: undefined, comment: undefined, retry: undefined, data: 'x' },
      'data: x\n\n',
    ],
  ])('writes %s', (_, event, text) => {
    expect(encodeEvent(event)).toBe(text)
  })

  it.each<[ServerSentEvent, string]>([
    [{ event: 'a\ndata: forged', data: '' }, `event ${ONE_LINE}, got "a\\ndata: forged". ${LINES}`],
    [{ event: 'a\r', data: '' }, `event ${ONE_LINE}, got "a\\r". ${LINES}`],
    [{ id: 'a\rb' }, `id ${ONE_LINE}, got "a\\rb". ${LINES}`],
    [{ id: 'a\nb' }, `id ${ONE_LINE}, got "a\\nb". ${LINES}`],
    [{ id: 'a\0b' }, `id ${NO_CONTROLS}, got "a\\u0000b". ${ENCODE}`],
    [{ id: '\u001F' }, `id ${NO_CONTROLS}, got "\\u001f". ${ENCODE}`],
    [{ id: '\u007F' }, `id ${NO_CONTROLS}, got "\u007F". ${ENCODE}`],
    [{ event: 7 as unknown as string }, `event must be a string, got 7. ${CONVERT}`],
    [{ id: 7 as unknown as string }, `id must be a string, got 7. ${CONVERT}`],
    [{ data: null as unknown as string }, `data must be a string, got null. ${CONVERT}`],
    [{ comment: {} as unknown as string }, `comment must be a string, got an object. ${CONVERT}`],
    [null as unknown as ServerSentEvent, "the event must be an object, got null. Write { data: '…' }."],
    ['text' as unknown as ServerSentEvent, `the event must be an object, got "text". Write { data: '…' }.`],
  ])('refuses %j', (event, message) => {
    expect(() => encodeEvent(event)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: `encodeEvent: ${message}` }),
    )
  })

  it.each([
    ['x'.repeat(4096), 'x'],
    ['é'.repeat(2048), 'é'],
    ['\u{1F600}'.repeat(1024), 'x'],
  ])('limits an ID to 4,096 bytes: case %#', (id, more) => {
    expect(encodeEvent({ id })).toBe(`id: ${id}\n\n`)
    const error = expect.objectContaining({
      name: 'RangeError',
      message: `encodeEvent: id must be at most 4096 bytes long, got ${Buffer.byteLength(id + more)} bytes. Clients send it back in a header field.`,
    })
    expect(() => encodeEvent({ id: id + more })).toThrow(error)
  })

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53, '5', null])('rejects the retry time %o', (retry) => {
    expect(() => encodeEvent({ retry: retry as number })).toThrow(RangeError)
  })

  it('encodes any text so that clients dispatch exactly that text', () => {
    const anyText = fc.string({ unit: fc.constantFrom('\r', '\n', ':', ' ', 'data: x', 'é', '\u2028', '\0', 'a') })
    const oneLine = anyText.map((text) => text.replaceAll(/[\r\n\0]/g, ''))
    fc.assert(
      fc.property(anyText, anyText, oneLine, oneLine, (comment, data, event, id) => {
        expect(parseEventStream(encodeEvent({ comment, event, id, data }))).toEqual({
          events: [{ type: event || 'message', data: data.replaceAll(/\r\n?/g, '\n'), lastEventId: id }],
          lastEventId: id,
          retryMs: null,
        })
      }),
    )
  })
})
