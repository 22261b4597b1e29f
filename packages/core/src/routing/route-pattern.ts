import { showValue, withCode } from '@fw/options'
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
 * A parameter or wildcard fills a whole segment. Only optional parameters can follow an optional parameter, and a
 * wildcard must be last. Literal text is written in decoded form and is compared with decoded path segments.
 *
 * @throws {TypeError} if the pattern is malformed. The message names the rule and the index of the mistake
 */
export function parsePattern(pattern: string): readonly PatternSegment[] {
  if (typeof pattern !== 'string') {
    throw withCode(
      'FW_INVALID_PATH',
      new TypeError(`router: path must be a string, got ${showValue(pattern)}. Write, for example, '/users/:id'.`),
    )
  }
  if (!pattern.startsWith('/')) throw patternError(pattern, 0, `start with '/'`)
  const segments: PatternSegment[] = []
  const names = new Set<string>()
  let index = 1
  for (const text of pattern.slice(1).split('/')) {
    const segment = parseSegment(pattern, index, text)
    const before = segments.at(-1)
    if (before?.kind === 'wildcard') throw patternError(pattern, index, 'end with its wildcard')
    if (before?.kind === 'param' && before.isOptional && !(segment.kind === 'param' && segment.isOptional)) {
      throw patternError(pattern, index, 'have only optional parameters after an optional one')
    }
    if (segment.kind !== 'literal') {
      if (names.has(segment.name)) throw patternError(pattern, index, `use the name '${segment.name}' once`)
      names.add(segment.name)
    }
    segments.push(segment)
    index += text.length + 1
  }
  return segments
}

/** Returns a segment for case-insensitive comparison. */
export function segmentWithoutCase(segment: PatternSegment): PatternSegment {
  return segment.kind === 'literal' ? { ...segment, text: withoutCase(segment.text) } : segment
}

function parseSegment(pattern: string, index: number, text: string): PatternSegment {
  const sign = text[0]
  if (sign === ':' || sign === '*') {
    const isOptional = sign === ':' && text.endsWith('?')
    const name = text.slice(1, isOptional ? -1 : undefined)
    const kind = sign === ':' ? 'param' : 'wildcard'
    if (name === '') throw patternError(pattern, index, `name each ${NOUN[kind]}, such as '${sign}${EXAMPLE[kind]}'`)
    if (!NAME.test(name)) {
      const at = /[^\w-]/.exec(name)?.index ?? 0
      const rule = /[({<]/.test(name[at] ?? '')
        ? 'have no expressions, because the route option "params" checks parameters'
        : `have a ${NOUN[kind]} as a whole segment, with a name of letters, digits, _ and -`
      throw patternError(pattern, index + 1 + at, rule)
    }
    return kind === 'param' ? { kind, name, isOptional } : { kind, name }
  }
  const bad = /[?#*]|%[0-9A-Fa-f]{2}/.exec(text)
  if (bad !== null) throw patternError(pattern, index + bad.index, LITERAL_RULE[bad[0][0] ?? ''] ?? '')
  return { kind: 'literal', text }
}

const NOUN = { param: 'parameter', wildcard: 'wildcard' }
const EXAMPLE = { param: 'id', wildcard: 'path' }
const LITERAL_RULE: Readonly<Record<string, string>> = {
  '?': `have no query, and '?' only after a parameter such as ':id?'`,
  '#': 'have no fragment',
  '*': `have a wildcard as a whole segment, such as '*path'`,
  '%': 'have its literal text decoded',
}

/** @param rule Completes "path must …" */
function patternError(pattern: string, index: number, rule: string): TypeError {
  return withCode(
    'FW_INVALID_PATH',
    new TypeError(`router: path must ${rule}, got ${showValue(pattern)} (at index ${index}).`),
  )
}
