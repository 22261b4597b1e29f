import { isUtf8 } from 'node:buffer'

/** The parts of an entry without escapes. */
export interface ParsedEntry {
  readonly tags: string
  readonly method: string
  readonly path: string
  readonly query: string | undefined
  readonly status: number
  readonly protocol: string
  /** The names and values of captured headers. */
  readonly headers: readonly (readonly [string, string])[]
}

const ESCAPE = String.raw`\\(?:[\\"]|x[\da-f]{2}|u[\da-f]{4})`
const WORD = String.raw`(?:[^ \\"\x00-\x1f\x7f-\x9f]|${ESCAPE})+`
const METHOD = String.raw`-|[!#$%&'*+.^_\x60|~\dA-Za-z-]+`
const PROTOCOL = String.raw`-|HTTP/(?:1\.1|2\.0|3\.0)`
const VALUE = String.raw`(?:[^\\"[\]\x00-\x1f\x7f-\x9f]|${ESCAPE})*`
const TAGS = String.raw`((?:\[SLOW\] )?(?:\[ABORTED\] )?)`
const ADDRESS = String.raw`(?:-|[\da-f.:]+)`
const DURATION = String.raw`\d+\.\d\dms`

/** The grammar of Combined with all parts. */
const COMBINED = new RegExp(
  String.raw`^${TAGS}(${METHOD}) (${WORD}) (\d{3}) (?:-|[A-Z][A-Za-z' -]*) ${DURATION} - ${ADDRESS} ` +
    String.raw`\((?:\d+ B|\d+\.\d KB)\) \[(${PROTOCOL})\]((?: \[[^\s:[\]]+: ${VALUE}\])*)$`,
  'u',
)
const HEADER = new RegExp(String.raw` \[([^\s:[\]]+): (${VALUE})\]`, 'gu')
const COMMON = new RegExp(
  String.raw`^${TAGS}${ADDRESS} - "(${METHOD}) (${WORD}) (${PROTOCOL})" (\d{3}) \d+ \(${DURATION}\)$`,
  'u',
)

/** Matches characters that are invisible or look like something else. */
export const UNSAFE =
  /[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\p{Surrogate}]/u

/** @throws {Error} unless the whole text is one entry */
export function parseCombined(text: string): ParsedEntry {
  const [, tags = '', method = '', target = '', status, protocol = '', headers = ''] = matchOf(COMBINED, text)
  const captured = Array.from(headers.matchAll(HEADER), ([, name = '', value = '']) => [name, unescape(value)] as const)
  return { tags, method, ...targetOf(target), status: Number(status), protocol, headers: captured }
}

/** @throws {Error} unless the whole text is one entry */
export function parseCommon(text: string): ParsedEntry {
  const [, tags = '', method = '', target = '', protocol = '', status] = matchOf(COMMON, text)
  return { tags, method, ...targetOf(target), status: Number(status), protocol, headers: [] }
}

/** Decodes bytes, given as one character each, as UTF-8 if valid. Otherwise returns them unchanged. */
export function meaningOf(latin1: string): string {
  if (/[\u0100-\uffff]/.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : latin1
}

function matchOf(grammar: RegExp, text: string): RegExpExecArray {
  const match = grammar.exec(text)
  if (match === null || UNSAFE.test(text)) throw new Error(`Not one entry: ${JSON.stringify(text)}`)
  return match
}

function targetOf(target: string): Pick<ParsedEntry, 'path' | 'query'> {
  const mark = target.indexOf('?')
  if (mark === -1) return { path: unescape(target), query: undefined }
  return { path: unescape(target.slice(0, mark)), query: unescape(target.slice(mark + 1)) }
}

function unescape(text: string): string {
  return text.replaceAll(/\\(?:x([\da-f]{2})|u([\da-f]{4})|(.))/g, (_, x?: string, u?: string, character?: string) => {
    return character ?? String.fromCharCode(Number.parseInt(x ?? u ?? '', 16))
  })
}
