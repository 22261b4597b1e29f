import { withoutCase } from './path-text.ts'

/** One segment of a path pattern. */
export type PatternSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'param'; readonly name: string; readonly isOptional: boolean }
  | { readonly kind: 'wildcard'; readonly name: string }

const NAME = /^[A-Za-z_][\w-]*$/

/**
 * Parses a path pattern such as `/users/:id/posts/:post?` or `/files/*path`.
 *
 * A parameter or wildcard fills a whole segment. Optional parameters stand last, a wildcard stands last. Literal text
 * is written decoded and compared with the decoded segments of a path.
 *
 * @throws {TypeError} saying what is wrong at which index of the pattern
 */
export function parsePattern(pattern: string): readonly PatternSegment[] {
  if (typeof pattern !== 'string') throw new TypeError(`Cannot route ${String(pattern)}: a path pattern is a string`)
  if (!pattern.startsWith('/')) throw patternError(pattern, 0, `it does not start with '/'`)
  const segments: PatternSegment[] = []
  const names = new Set<string>()
  let index = 1
  for (const text of pattern.slice(1).split('/')) {
    const segment = parseSegment(pattern, index, text)
    const before = segments.at(-1)
    if (before?.kind === 'wildcard') throw patternError(pattern, index, 'nothing can follow a wildcard')
    if (before?.kind === 'param' && before.isOptional && !(segment.kind === 'param' && segment.isOptional)) {
      throw patternError(pattern, index, 'only optional parameters can follow an optional one')
    }
    if (segment.kind !== 'literal') {
      if (names.has(segment.name)) throw patternError(pattern, index, `the name '${segment.name}' is used twice`)
      names.add(segment.name)
    }
    segments.push(segment)
    index += text.length + 1
  }
  return segments
}

/** A segment as paths are compared with it where case does not count. */
export function segmentWithoutCase(segment: PatternSegment): PatternSegment {
  return segment.kind === 'literal' ? { ...segment, text: withoutCase(segment.text) } : segment
}

function parseSegment(pattern: string, index: number, text: string): PatternSegment {
  const sign = text[0]
  if (sign === ':' || sign === '*') {
    const isOptional = sign === ':' && text.endsWith('?')
    const name = text.slice(1, isOptional ? -1 : undefined)
    const kind = sign === ':' ? 'param' : 'wildcard'
    if (name === '')
      throw patternError(pattern, index, `a ${NOUN[kind]} needs a name, such as '${sign}${EXAMPLE[kind]}'`)
    if (!NAME.test(name)) {
      const at = /[^\w-]/.exec(name)?.index ?? 0
      const fault = /[({<]/.test(name[at] ?? '')
        ? 'a pattern has no expressions: check the parameter by the option params of the route'
        : `a ${NOUN[kind]} fills a whole segment, its name is of letters, digits, _ and -`
      throw patternError(pattern, index + 1 + at, fault)
    }
    return kind === 'param' ? { kind, name, isOptional } : { kind, name }
  }
  const bad = /[?#*]|%[0-9A-Fa-f]{2}/.exec(text)
  if (bad !== null) throw patternError(pattern, index + bad.index, LITERAL_FAULT[bad[0][0] ?? ''] ?? '')
  return { kind: 'literal', text }
}

const NOUN = { param: 'parameter', wildcard: 'wildcard' }
const EXAMPLE = { param: 'id', wildcard: 'path' }
const LITERAL_FAULT: Readonly<Record<string, string>> = {
  '?': `only a parameter such as ':id?' can be optional, and a query is no part of a path`,
  '#': 'a fragment is no part of a path',
  '*': `a wildcard fills a whole segment, such as '*path'`,
  '%': 'literal text is written decoded',
}

function patternError(pattern: string, index: number, fault: string): TypeError {
  return new TypeError(`Cannot route '${pattern}': ${fault} (at index ${index})`)
}
