/** One option, as described by its declaration and docstring. */
export interface OptionRow {
  readonly name: string
  readonly type: string
  /** The default that the docstring states; `required` for an option without `?`; empty if neither applies. */
  readonly default: string
  readonly effect: string
}

/** An optional docstring, then `readonly name?: type` up to the end of the line, `;` or `}`. */
const MEMBER = /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?readonly (\w+)(\??): (\{|[^;\n{}]+)|\n {2}\}/g
const TAG = /(?:^|\s)@(?:throws|example|see|param|returns|internal)\b[^]*$/

/**
 * Returns the options of an interface, or of a type alias for object types, in source order. Members of an inner object have
 * its name as a prefix: `limits.maxBodyBytes`.
 *
 * @param source TypeScript in the format of this repository
 * @throws {Error} if the type does not exist, or an option has no docstring
 *
 * @example
 * optionsOf(`export interface A {\n  /** Port to bind. Default 0. *\/\n  readonly port?: number\n}`, 'A')
 * // [{ name: 'port', type: 'number', default: '0', effect: 'Port to bind.' }]
 */
export function optionsOf(source: string, type: string): OptionRow[] {
  const body =
    new RegExp(`^export interface ${type}\\b[^\\n]*\\{\\n([^]*?)^\\}`, 'm').exec(source)?.[1] ??
    new RegExp(`^export type ${type} =([^]*?)\\n\\n`, 'm').exec(source)?.[1]
  if (body === undefined) throw new Error(`The interface or type ${type} does not exist. Correct the marker.`)
  const rows: OptionRow[] = []
  let prefix = ''
  for (const [end, comment, name = '', optional, declared = ''] of body.matchAll(MEMBER)) {
    if (name === '') {
      if (end.includes('}')) prefix = ''
      continue
    }
    if (declared === '{') {
      prefix = `${name}.`
      continue
    }
    if (comment === undefined) throw new Error(`${type}.${name} has no docstring. Describe the option in its source.`)
    const stated = splitDefault(textOf(comment))
    const value = stated.default === '' && optional === '' ? 'required' : stated.default
    rows.push({ name: prefix + name, type: shortType(declared), default: value, effect: stated.effect })
  }
  return rows
}

/** Joins the lines of the first paragraph of a docstring, without its tags. */
function textOf(comment: string): string {
  const [first = ''] = comment
    .replaceAll(/\n\s*\* ?/g, '\n')
    .trim()
    .split('\n\n')
  return first
    .replaceAll('*\\/', '*/')
    .replace(TAG, '')
    .replaceAll(/\{@link ([^}]+)\}/g, '`$1`')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

function shortType(declared: string): string {
  const type = declared.replaceAll('readonly ', '').trim()
  // In `(a: A) => string | undefined`, `undefined` belongs to the return type.
  if (/^\([^(]*\) =>/.test(type)) return type
  return type.replace(/ \| undefined$/, '').replace(/^\((\(.*)\)$/, '$1')
}

/**
 * A sentence such as `Default X.`, or its beginning: `Default X; 0 disables the limit.`, `Default X, as in Node.js.`,
 * `Default X: forms have few fields.`, `By default X.`
 */
const DEFAULT = /(?<=^|[.;:)] )(?:Default:?|By default) ((?:`[^`]*`|[^`.;,:]|[.,:](?=\S))+)([.;,:])(?: |$)/
const NAMED = /(?<=^|[.:)] )(Off|On|None|No \w+) by default\.(?: |$)/
const NAMED_VALUES: Readonly<Record<string, string>> = { Off: '`false`', On: '`true`' }
/** `'strict'` (default) */
const MARKED = /(`[^`]+`) \((?:the )?default\)/

/** Splits a docstring into the default that it states and the rest. */
export function splitDefault(text: string): { readonly default: string; readonly effect: string } {
  const found = DEFAULT.exec(text)
  if (found !== null) {
    const [sentence, value = '', end = ''] = found
    // A comma or colon begins a reason, so keep the whole sentence.
    if (',:'.includes(end)) return { default: asCode(value), effect: text }
    const [before, after] = [text.slice(0, found.index), text.slice(found.index + sentence.length)]
    return { default: asCode(value), effect: `${before}${capitalized(after)}`.trim() }
  }
  const named = NAMED.exec(text)
  if (named === null) return { default: MARKED.exec(text)?.[1] ?? '', effect: text }
  const value = NAMED_VALUES[named[1] ?? ''] ?? (named[1] ?? '').toLowerCase()
  return { default: value, effect: text.replace(named[0], '').trim() }
}

function asCode(value: string): string {
  return value === 'true' || value === 'false' ? `\`${value}\`` : value
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
