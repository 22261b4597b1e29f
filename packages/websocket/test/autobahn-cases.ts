import { BINARY, CLOSE, closeFrame, type Frame, PING, PONG, showFrame, TEXT } from './frames.ts'

/** A test case of the Autobahn test suite: what the client sends, and how the server responds. */
export interface AutobahnCase {
  readonly id: string
  readonly sends: readonly (Frame | 'pause')[]
  /** Size of the slices in which the bytes of all frames are written. */
  readonly chopBytes?: number
  /** The server's frames before its Close frame. */
  readonly replies: readonly string[]
  /** The codes that the server can close with. The client closes with 1000 first, if it is `client`. */
  readonly closes: 'client' | readonly (number | undefined)[]
}

const bytes = (latin1: string): Uint8Array => Buffer.from(latin1, 'latin1')
const text = (payload: string, more: Partial<Frame> = {}): Frame => ({ opcode: TEXT, payload: bytes(payload), ...more })
const binary = (payload: string, more: Partial<Frame> = {}): Frame => ({ ...text(payload), opcode: BINARY, ...more })
const continued = (payload: string, fin: boolean): Frame => ({ opcode: 0, payload: bytes(payload), fin })
const first = (payload: string): Frame => text(payload, { fin: false })
const control = (opcode: number, payload: string = '', more: Partial<Frame> = {}): Frame => ({
  opcode,
  payload: bytes(payload),
  ...more,
})
const ping = (payload: string = ''): Frame => control(PING, payload)

const PROTOCOL_ERROR = [1002]
const INVALID_TEXT = [1007]
const NORMAL = [1000]

/** The client sends frames and then closes. */
function echoes(id: string, sends: AutobahnCase['sends'], replies: readonly Frame[], chopBytes?: number): AutobahnCase {
  return {
    id,
    sends,
    replies: replies.map(showFrame),
    closes: 'client',
    ...(chopBytes === undefined ? {} : { chopBytes }),
  }
}

/** The server closes. */
function fails(
  id: string,
  sends: AutobahnCase['sends'],
  closes: readonly (number | undefined)[],
  replies: readonly Frame[] = [],
  chopBytes?: number,
): AutobahnCase {
  return { id, sends, replies: replies.map(showFrame), closes, ...(chopBytes === undefined ? {} : { chopBytes }) }
}

/** Splits a text into frames with one byte each. */
function inBytes(payload: string): readonly Frame[] {
  return Array.from(payload, (byte, at) => (at === 0 ? first(byte) : continued(byte, at === payload.length - 1)))
}

const LENGTHS = [0, 125, 126, 127, 128, 65_535, 65_536]
const framing = (class_: string, char: string, frame: (payload: string) => Frame): AutobahnCase[] => [
  ...LENGTHS.map((length, at) =>
    echoes(`${class_}.${at + 1}`, [frame(char.repeat(length))], [frame(char.repeat(length))]),
  ),
  echoes(`${class_}.8`, [frame(char.repeat(65_536))], [frame(char.repeat(65_536))], 997),
]

const HELLO = 'Hello, world!'
const PINGS = Array.from({ length: 10 }, (_, at) => `payload-${at}`)
const BYTES = '\x00\xff\xfe\xfd\xfc\xfb\x00\xff'
const NOT_CONTINUED = 'non-continuation payload'
const [F1, F2, F3, F4] = ['fragment1', 'fragment2', 'fragment3', 'fragment4'] as const

const pings: readonly AutobahnCase[] = [
  echoes('2.1', [ping()], [control(PONG)]),
  echoes('2.2', [ping(HELLO)], [control(PONG, HELLO)]),
  echoes('2.3', [ping(BYTES)], [control(PONG, BYTES)]),
  echoes('2.4', [ping('\xfe'.repeat(125))], [control(PONG, '\xfe'.repeat(125))]),
  fails('2.5', [ping('\xfe'.repeat(126))], PROTOCOL_ERROR),
  echoes('2.6', [ping('\xfe'.repeat(125))], [control(PONG, '\xfe'.repeat(125))], 1),
  fails('2.7', [control(PONG), closeFrame(1000)], NORMAL),
  fails('2.8', [control(PONG, 'unsolicited pong payload'), closeFrame(1000)], NORMAL),
  echoes('2.9', [control(PONG, 'unsolicited pong payload'), ping('ping payload')], [control(PONG, 'ping payload')]),
  echoes(
    '2.10',
    PINGS.map(ping),
    PINGS.map((payload) => control(PONG, payload)),
  ),
  echoes(
    '2.11',
    PINGS.map(ping),
    PINGS.map((payload) => control(PONG, payload)),
    1,
  ),
]

const reserved: readonly AutobahnCase[] = [
  fails('3.1', [text(HELLO, { rsv: 1 })], PROTOCOL_ERROR),
  fails('3.2', [text(HELLO), text(HELLO, { rsv: 2 }), ping()], PROTOCOL_ERROR, [text(HELLO)]),
  fails('3.3', [text(HELLO), 'pause', text(HELLO, { rsv: 3 }), 'pause', ping()], PROTOCOL_ERROR, [text(HELLO)]),
  fails('3.4', [text(HELLO), text(HELLO, { rsv: 4 }), ping()], PROTOCOL_ERROR, [text(HELLO)], 1),
  fails('3.5', [binary(BYTES, { rsv: 5 })], PROTOCOL_ERROR),
  fails('3.6', [binary(HELLO, { rsv: 6 })], PROTOCOL_ERROR),
  fails('3.7', [control(CLOSE, '', { rsv: 7 })], PROTOCOL_ERROR),
]

const opcodes = (class_: string, from: number): AutobahnCase[] => [
  fails(`${class_}.1`, [control(from)], PROTOCOL_ERROR),
  fails(`${class_}.2`, [control(from + 1, 'reserved opcode payload')], PROTOCOL_ERROR),
  fails(`${class_}.3`, [text(HELLO), control(from + 2), ping()], PROTOCOL_ERROR, [text(HELLO)]),
  fails(`${class_}.4`, [text(HELLO), control(from + 3, HELLO), ping()], PROTOCOL_ERROR, [text(HELLO)]),
  fails(`${class_}.5`, [text(HELLO), control(from + 4, HELLO), ping()], PROTOCOL_ERROR, [text(HELLO)], 1),
]

/** A case in one write, in one write per frame and byte by byte. */
function inThreeWays(
  id: number,
  sends: readonly Frame[],
  make: (id: string, sends: AutobahnCase['sends'], chopBytes?: number) => AutobahnCase,
): AutobahnCase[] {
  const paused = sends.flatMap((frame): (Frame | 'pause')[] => [frame, 'pause'])
  return [make(`5.${id}`, sends), make(`5.${id + 1}`, paused), make(`5.${id + 2}`, sends, 1)]
}

const PART_PINGS = ['pongme 1!', 'pongme 2!'] as const
const FIVE_PARTS = [first(F1), continued(F2, false), ping(PART_PINGS[0]), 'pause'] as const
const REST_OF_FIVE = [continued(F3, false), continued(F4, false), ping(PART_PINGS[1]), continued('fragment5', true)]
const FIVE_REPLIES = [...PART_PINGS.map((payload) => control(PONG, payload)), text(`${F1}${F2}${F3}${F4}fragment5`)]

const fragments: readonly AutobahnCase[] = [
  fails('5.1', [control(PING, F1, { fin: false }), continued(F2, true)], PROTOCOL_ERROR),
  fails('5.2', [control(PONG, F1, { fin: false }), continued(F2, true)], PROTOCOL_ERROR),
  ...inThreeWays(3, [first(F1), continued(F2, true)], (id, sends, chop) => echoes(id, sends, [text(F1 + F2)], chop)),
  ...inThreeWays(6, [first(F1), ping('ping payload'), continued(F2, true)], (id, sends, chop) =>
    echoes(id, sends, [control(PONG, 'ping payload'), text(F1 + F2)], chop),
  ),
  ...inThreeWays(9, [continued(NOT_CONTINUED, true), text(HELLO)], (id, sends, chop) =>
    fails(id, sends, PROTOCOL_ERROR, [], chop),
  ),
  ...inThreeWays(12, [continued(NOT_CONTINUED, false), text(HELLO)], (id, sends, chop) =>
    fails(id, sends, PROTOCOL_ERROR, [], chop),
  ),
  fails('5.15', [first(F1), continued(F2, true), continued(F3, false), text(F4)], PROTOCOL_ERROR, [text(F1 + F2)]),
  ...[false, true].map((fin, at) => {
    const round = [continued(F1, fin), first(F2), continued(F3, true)]
    return fails(`5.${16 + at}`, [...round, ...round], PROTOCOL_ERROR)
  }),
  fails('5.18', [first(F1), text(F2)], PROTOCOL_ERROR),
  echoes('5.19', [...FIVE_PARTS, ...REST_OF_FIVE], FIVE_REPLIES),
  echoes(
    '5.20',
    [...FIVE_PARTS, ...REST_OF_FIVE].flatMap((frame): (Frame | 'pause')[] => [frame, 'pause']),
    FIVE_REPLIES,
  ),
]

const utf8 = (payload: string): string => Buffer.from(payload).toString('latin1')
const KOSME = '\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5'
const INVALID = `${KOSME}\xed\xa0\x80edited`
const TOO_LARGE = `${KOSME}\xf4\x90\x80\x80edited`

/** A frame of which the bytes arrive in parts. */
const chopped = (payload: string, ...ends: readonly number[]): AutobahnCase['sends'] => {
  const starts = [0, ...ends]
  return starts.flatMap((start, at): (Frame | 'pause')[] => {
    const part = payload.slice(start, ends[at])
    return [at === 0 ? first(part) : continued(part, at === starts.length - 1), 'pause']
  })
}

const text6: readonly AutobahnCase[] = [
  echoes('6.1.1', [text('')], [text('')]),
  echoes('6.1.2', [first(''), continued('', false), continued('', true)], [text('')]),
  echoes(
    '6.1.3',
    [first(''), continued('middle frame payload', false), continued('', true)],
    [text('middle frame payload')],
  ),
  echoes('6.2.1', [text(utf8('Hello-µ@ßöäüàá-UTF-8!!'))], [text(utf8('Hello-µ@ßöäüàá-UTF-8!!'))]),
  echoes(
    '6.2.2',
    [first(utf8('Hello-µ@ßöä')), continued(utf8('üàá-UTF-8!!'), true)],
    [text(utf8('Hello-µ@ßöäüàá-UTF-8!!'))],
  ),
  echoes('6.2.3', inBytes(utf8('Hello-µ@ßöäüàá-UTF-8!!')), [text(utf8('Hello-µ@ßöäüàá-UTF-8!!'))]),
  echoes('6.2.4', inBytes(KOSME), [text(KOSME)]),
  fails('6.3.1', [text(INVALID)], INVALID_TEXT),
  fails('6.3.2', inBytes(INVALID), INVALID_TEXT),
  // The suite prefers that these four fail before the end of the message, and accepts that they fail at its end.
  fails('6.4.1', chopped(TOO_LARGE, KOSME.length, KOSME.length + 4), INVALID_TEXT),
  fails('6.4.2', chopped(TOO_LARGE, 12, 13), INVALID_TEXT),
  fails('6.4.3', [text(TOO_LARGE)], INVALID_TEXT, [], KOSME.length + 6),
  fails('6.4.4', [text(TOO_LARGE)], INVALID_TEXT, [], 18),
]

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at)
const chars = (codes: readonly number[], between: string = ''): string =>
  codes.map((code) => String.fromCharCode(code) + between).join('')
const OVERLONG = ['\xc0', '\xe0\x80', '\xf0\x80\x80', '\xf8\x80\x80\x80', '\xfc\x80\x80\x80\x80']
const MISSING_LAST = [...OVERLONG, '\xdf', '\xef\xbf', '\xf7\xbf\xbf', '\xfb\xbf\xbf\xbf', '\xfd\xbf\xbf\xbf\xbf']
const LONELY: readonly (readonly [number, number])[] = [
  [0xc0, 0xdf],
  [0xe0, 0xef],
  [0xf0, 0xf7],
  [0xf8, 0xfb],
  [0xfc, 0xfd],
]
const HIGH = ['\xed\xa0\x80', '\xed\xad\xbf', '\xed\xae\x80', '\xed\xaf\xbf']
const NON_CHARACTERS = ['\xf0', '\xf1', '\xf2', '\xf3', '\xf4'].flatMap((lead) =>
  ['\x8f', '\x9f', '\xaf', '\xbf'].flatMap((second) =>
    (lead === '\xf4' && second !== '\x8f') || (lead === '\xf0' && second === '\x8f')
      ? []
      : [`${lead}${second}\xbf\xbe`, `${lead}${second}\xbf\xbf`],
  ),
)

const CONTINUATIONS = ['\x80', '\xbf', ...range(2, 7).map((length) => '\x80\xbf'.repeat(3).slice(0, length))]

/** Texts of the classes 6.5 to 6.23: the UTF-8 decoder test of the University of Cambridge. */
const UTF8_TEXTS: readonly (readonly string[])[] = [
  ['hello$world', 'hello\xc2\xa2world', 'hello\xe2\x82\xacworld', 'hello\xf0\xa4\xad\xa2world', KOSME],
  range(1, KOSME.length + 1).map((length) => KOSME.slice(0, length)),
  ['\x00', '\xc2\x80', '\xe0\xa0\x80', '\xf0\x90\x80\x80'],
  ['\xf8\x88\x80\x80\x80', '\xfc\x84\x80\x80\x80\x80'],
  ['\x7f', '\xdf\xbf', '\xef\xbf\xbf', '\xf4\x8f\xbf\xbf'],
  ['\xf7\xbf\xbf\xbf', '\xfb\xbf\xbf\xbf\xbf', '\xfd\xbf\xbf\xbf\xbf\xbf'],
  ['\xed\x9f\xbf', '\xee\x80\x80', '\xef\xbf\xbd', '\xf4\x8f\xbf\xbf', '\xf4\x90\x80\x80'],
  [...CONTINUATIONS, chars(range(0x80, 0xbf))],
  LONELY.map(([from, to]) => chars(range(from, to), ' ')),
  MISSING_LAST,
  [MISSING_LAST.join('')],
  ['\xfe', '\xff', '\xfe\xfe\xff\xff'],
  OVERLONG.map((lead) => `${lead}\xaf`),
  ['\xc1\xbf', '\xe0\x9f\xbf', '\xf0\x8f\xbf\xbf', '\xf8\x87\xbf\xbf\xbf', '\xfc\x83\xbf\xbf\xbf\xbf'],
  OVERLONG.map((lead) => `${lead}\x80`),
  [...HIGH, '\xed\xb0\x80', '\xed\xbe\x80', '\xed\xbf\xbf'],
  HIGH.flatMap((high) => [`${high}\xed\xb0\x80`, `${high}\xed\xbf\xbf`]),
  ['\xef\xbf\xbe', '\xef\xbf\xbf', ...NON_CHARACTERS],
  ['\xb9', '\xba', '\xbb', '\xbc', '\xbd', '\xbe', '\xbf'].map((last) => `\xef\xbf${last}`),
]
/** Classes in which every text is invalid, and single invalid texts. */
const INVALID_CLASSES: ReadonlySet<number> = new Set([8, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21])
const INVALID_CASES: ReadonlySet<string> = new Set(['6.6.1', '6.6.3', '6.6.4', '6.6.6', '6.6.8', '6.6.10', '6.11.5'])

const utf8Cases = UTF8_TEXTS.flatMap((texts, class_) =>
  texts.map((payload, at) => {
    const id = `6.${class_ + 5}.${at + 1}`
    const isInvalid = INVALID_CLASSES.has(class_ + 5) || INVALID_CASES.has(id)
    return isInvalid ? fails(id, [text(payload)], INVALID_TEXT) : echoes(id, [text(payload)], [text(payload)])
  }),
)

const HELLO_7 = 'Hello World!'
const LARGE = 'BAsd7&jh23'.repeat(26_215).slice(0, 256 * 1024)
const VALID_CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
const INVALID_CODES = [0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999]

const closes: readonly AutobahnCase[] = [
  echoes('7.1.1', [text(HELLO_7)], [text(HELLO_7)]),
  fails('7.1.2', [closeFrame(1000), closeFrame()], NORMAL),
  fails('7.1.3', [closeFrame(1000), ping()], NORMAL),
  fails('7.1.4', [closeFrame(1000), text(HELLO_7)], NORMAL),
  fails('7.1.5', [first(F1), closeFrame(1000), continued(F2, true)], NORMAL),
  fails('7.1.6', [text(LARGE), text(HELLO_7), closeFrame(1000), ping()], NORMAL, [text(LARGE), text(HELLO_7)]),
  fails('7.3.1', [closeFrame()], [undefined]),
  fails('7.3.2', [control(CLOSE, 'a')], PROTOCOL_ERROR),
  fails('7.3.3', [closeFrame(1000)], NORMAL),
  fails('7.3.4', [closeFrame(1000, HELLO_7)], NORMAL),
  fails('7.3.5', [closeFrame(1000, '*'.repeat(123))], NORMAL),
  fails('7.3.6', [closeFrame(1000, '*'.repeat(124))], PROTOCOL_ERROR),
  fails('7.5.1', [closeFrame(1000, bytes(INVALID))], INVALID_TEXT),
  ...VALID_CODES.map((code, at) => fails(`7.7.${at + 1}`, [closeFrame(code)], [code])),
  ...INVALID_CODES.map((code, at) => fails(`7.9.${at + 1}`, [closeFrame(code)], PROTOCOL_ERROR)),
  fails('7.13.1', [closeFrame(5000)], PROTOCOL_ERROR),
  fails('7.13.2', [closeFrame(65_535)], PROTOCOL_ERROR),
]

const AUTO = '*'.repeat(65_536)
const autoFragments = range(0, Math.ceil(AUTO.length / 1300)).map((at, _, { length }) => {
  const part = AUTO.slice(at * 1300, (at + 1) * 1300)
  return at === 0 ? first(part) : continued(part, at === length - 1)
})

/**
 * Cases 1 to 7 and 10 of the Autobahn test suite, written from its descriptions.
 *
 * @see https://github.com/crossbario/autobahn-testsuite
 */
export const AUTOBAHN_CASES: readonly AutobahnCase[] = [
  ...framing('1.1', '*', text),
  ...framing('1.2', '\xfe', binary),
  ...pings,
  ...reserved,
  ...opcodes('4.1', 3),
  ...opcodes('4.2', 11),
  ...fragments,
  ...text6,
  ...utf8Cases,
  ...closes,
  echoes('10.1.1', autoFragments, [text(AUTO)]),
]
