import { optionError, showValue } from '@fw/options'
import type { LogRecord } from '@fw/types'
import { display } from '../text/display.ts'
import { escapeLine, escapeLines } from '../text/escape.ts'
import { applySpec } from '../format/apply-spec.ts'
import { type FormatSpec, parseSpec } from '../format/format-spec.ts'
import { baseName, labelsOf, type LinePattern, type LineTarget, type PaintLevel, placeOf } from './pattern.ts'
import { timestamp, utcTimestamp } from '../text/timestamp.ts'

type Part = (record: LogRecord) => string

/** A compiled pattern from the application. */
export interface CustomPattern {
  readonly line: LinePattern
  /** Whether the pattern shows a part of the location. */
  readonly usesLocation: boolean
}

const LOCATION_TOKENS = new Set(['location', 'file', 'path', 'line', 'function'])

/**
 * Compiles a pattern such as `{iso} {level} {location}: {message} {fields}`.
 *
 * A token can have a format spec (`{location:>20}`); `{{` and `}}` represent braces. A value that the record does not have is
 * shown as `-`. Each value is escaped, so that it cannot end the line.
 *
 * @param api The sink's class, for error messages
 * @throws {TypeError} that lists the tokens if one is unknown, or if the pattern has a line break
 */
export function compileCustomPattern(
  pattern: unknown,
  utc: boolean,
  { paint, multiline = false }: LineTarget,
  api: string,
): CustomPattern {
  if (typeof pattern !== 'string' || /[\r\n]/.test(pattern)) {
    throw optionError({ api, name: 'pattern', expected: 'a string of one line', got: showValue(pattern) })
  }
  const tokens = tokensFor(utc, paint)
  const parts: Part[] = []
  let usesLocation = false
  let text = ''
  let from = 0
  for (const token of pattern.matchAll(/\{\{|\}\}|\{([a-z]*)(?::([^{}]*))?\}|[{}]/g)) {
    const [source, name = '', specText] = token
    text += pattern.slice(from, token.index)
    from = token.index + source.length
    if (source === '{{' || source === '}}') {
      text += source[0]
      continue
    }
    let valueOf = Object.hasOwn(tokens, name) ? tokens[name] : undefined
    const spec = parseSpec(specText ?? '')
    if (valueOf === undefined || spec === undefined) {
      throw optionError({
        api,
        name: 'pattern',
        expected: 'text with known tokens',
        got: showValue(source),
        fix: `Known tokens: ${Object.keys(tokens).join(', ')}. Write {{ or }} for a brace.`,
      })
    }
    usesLocation ||= LOCATION_TOKENS.has(name)
    // With a spec, the message remains on one line, because a precision could cut off the mark at the start of a continuation
    // line.
    if (multiline && name === 'message' && !specText) valueOf = ({ message }) => escapeLines(message)
    parts.push(partOf(text, valueOf, specText ? spec : undefined))
    text = ''
  }
  const end = text + pattern.slice(from)
  return { line: (record) => parts.reduce((line, part) => line + part(record), '') + end, usesLocation }
}

function partOf(before: string, valueOf: Part, spec: FormatSpec | undefined): Part {
  if (spec === undefined) return (record) => before + valueOf(record)
  return (record) => before + applySpec(spec, valueOf(record))
}

function tokensFor(utc: boolean, paint: PaintLevel | undefined): Readonly<Record<string, Part>> {
  const time = utc ? utcTimestamp : timestamp
  const labels = labelsOf(paint)
  return {
    time: ({ timeMs }) => time(timeMs),
    iso: ({ timeMs }) => (utc ? `${utcTimestamp(timeMs).replace(' ', 'T')}Z` : localIso(timeMs)),
    epoch: ({ timeMs }) => String(timeMs),
    level: ({ level }) => labels[level] ?? '-',
    location: ({ location }) => (location === undefined ? '-' : escapeLine(placeOf(location))),
    file: ({ location }) => (location === undefined ? '-' : escapeLine(baseName(location.file))),
    path: ({ location }) => (location === undefined ? '-' : escapeLine(location.file)),
    line: ({ location }) => String(location?.line || '-'),
    function: ({ location }) => escapeLine(location?.functionName || '-'),
    thread: ({ threadId }) => String(threadId),
    pid: () => String(process.pid),
    message: ({ message }) => escapeLine(message),
    fields: ({ fields }) => (fields === undefined ? '-' : escapeLine(textOfFields(fields))),
  }
}

/** Returns local time in ISO 8601, with the offset from UTC. */
function localIso(timeMs: number): string {
  const minutes = -new Date(timeMs).getTimezoneOffset()
  return `${timestamp(timeMs).replace(' ', 'T')}${minutes < 0 ? '-' : '+'}${twoDigits(minutes / 60)}:${twoDigits(minutes % 60)}`
}

/** Formats the integer part with at least two digits and without its sign. */
function twoDigits(value: number): string {
  return String(Math.trunc(Math.abs(value))).padStart(2, '0')
}

/** Returns `name=value` pairs. Quotes values that contain spaces, quotes or `=`. */
function textOfFields(fields: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(fields).map(([name, value]) => {
    const text = display(value)
    return `${name}=${/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text)}`
  })
  return texts.join(' ')
}
