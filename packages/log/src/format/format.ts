import { display } from '../text/display.ts'
import { isSafe, noteSafe } from '../text/escape.ts'
import { LineBuffer } from '../text/line-buffer.ts'
import { showArgument } from './apply-spec.ts'
import { isSpec, parseSpec, type FormatSpec } from './format-spec.ts'

/** A parsed format: text, field, text, field, …, text. */
export interface Template {
  /** The literal parts around the fields; always one more than the number of fields. */
  readonly texts: readonly string[]
  readonly fields: readonly Field[]
  /** The number of arguments that the format requires: the highest index plus one. */
  readonly arity: number
  /** Whether neither the literal text nor the fill characters need escaping. */
  readonly isSafe: boolean
  /** The literal parts in UTF-8, if they are printable ASCII. */
  readonly plainTexts: readonly LineBuffer[] | undefined
}

interface Field {
  readonly index: number
  readonly spec: FormatSpec | undefined
  /** The placeholder as written, which is shown if the argument is missing. */
  readonly source: string
}

/**
 * Formats a message.
 *
 * Without arguments, the format is the message. A mismatch that the compiler could not detect never throws or loses an
 * argument. A placeholder without an argument remains as written, and an invalid placeholder is text. Each surplus argument is
 * appended after a space.
 *
 * @example
 * formatMessage('{} of {:.1f} s', ['3', 0.27])   // '3 of 0.3 s'
 * formatMessage('{"a": {}}', [])                 // '{"a": {}}'
 */
export function formatMessage(format: string, args: readonly unknown[]): string {
  if (args.length === 0) return format
  const template = templateOf(format)
  const { texts, fields, arity } = template
  let message = texts[0] ?? ''
  let safe = template.isSafe
  for (let at = 0; at < fields.length; at++) {
    const { index, spec, source } = fields[at] as Field
    const value = args[index]
    if (index >= args.length) {
      message += source
      safe = false
    } else if (typeof value === 'number') {
      message += spec === undefined ? value : showArgument(spec, args, index)
      // `{:c}` can produce any character.
      safe &&= spec?.type !== 'c'
    } else if (typeof value === 'string' && spec === undefined) {
      message += value
      safe &&= isSafe(value)
    } else {
      message += spec === undefined ? display(value) : showArgument(spec, args, index)
      safe = false
    }
    message += texts[at + 1] as string
  }
  if (safe && args.length <= arity) noteSafe(message)
  for (let at = arity; at < args.length; at++) message += ' ' + display(args[at])
  return message
}

/** Matches `{{`, `}}` or a placeholder. Group 1 is the index, group 2 the spec, which can contain two placeholders. */
const TOKEN = /\{\{|\}\}|\{(\d{1,3})?(?::([^{}]*(?:\{\d{0,3}\}[^{}]*){0,2}))?\}/g

/** The maximum number of cached formats. A program has few literals, but `runtime` can create any number of formats. */
const CACHED = 1000

const cache = new Map<string, Template>()

/** The last format. A literal is a single object, so comparing it with itself costs nothing. */
let lastFormat = ''
let lastTemplate = parseFormat('')

/** Parses a format and caches the result. */
export function templateOf(format: string): Template {
  if (format !== lastFormat) {
    lastTemplate = cachedTemplate(format)
    lastFormat = format
  }
  return lastTemplate
}

function cachedTemplate(format: string): Template {
  let template = cache.get(format)
  if (template === undefined) {
    if (cache.size >= CACHED) cache.clear()
    template = parseFormat(format)
    cache.set(format, template)
  }
  return template
}

/** Parses a format. */
export function parseFormat(format: string): Template {
  const texts: string[] = []
  const fields: Field[] = []
  let text = ''
  let from = 0
  let next = 0
  let arity = 0
  const indexOf = (position = ''): number => {
    const index = position === '' ? next++ : Number(position)
    arity = Math.max(arity, index + 1)
    return index
  }
  for (const token of format.matchAll(TOKEN)) {
    const [source, position, specText] = token
    text += format.slice(from, token.index)
    from = token.index + source.length
    if (source === '{{' || source === '}}') text += source[0]
    else if (specText && !isSpec(specText)) text += source
    else {
      const index = indexOf(position)
      texts.push(text)
      fields.push({ index, spec: specText ? parseSpec(specText, indexOf) : undefined, source })
      text = ''
    }
  }
  texts.push(text + format.slice(from))
  const isPlain = texts.every((each) => /^[ -~]*$/.test(each))
  const plainTexts = isPlain ? texts.map((each) => new LineBuffer(each)) : undefined
  const areSafe = texts.every(isSafe) && fields.every(({ spec }) => spec === undefined || isSafe(spec.fill))
  return { texts, fields, arity, isSafe: areSafe, plainTexts }
}
