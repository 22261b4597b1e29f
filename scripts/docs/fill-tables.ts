import { type OptionRow, optionsOf } from './options-of.ts'

/** Sources of a page's tables, by path from the repository root. */
export interface TableSources {
  /** Returns the text of a source file. */
  readonly read: (path: string) => string
  /** Returns a constant that a source file exports, for defaults that are values instead of text. */
  readonly defaults: (path: string, name: string) => Readonly<Record<string, unknown>>
}

/** `<!-- options: ListenOptions of packages/core/src/options/listen-options.ts -->`, optionally `with DEFAULTS`. */
const BLOCK = /^<!-- options: (\w+) of (\S+?)(?: with (\w+))? -->\n[^]*?^<!-- end of options -->$/gm
// The prose of a table is checked in its source.
const [OFF, ON] = ['<!-- prose-check off -->', '<!-- prose-check on -->']

/**
 * Replaces the content between each pair of markers on a page with a table of the options that the first marker names.
 *
 * @throws {Error} if a type does not exist, an option has no docstring, or the default in a docstring differs from the code
 */
export function fillTables(page: string, sources: TableSources): string {
  return page.replaceAll(BLOCK, (_block: string, type: string, path: string, constant?: string) => {
    const rows = optionsOf(sources.read(path), type)
    const marker = `<!-- options: ${type} of ${path}${constant === undefined ? '' : ` with ${constant}`} -->`
    const table =
      constant === undefined
        ? tableOf(['option', 'type', 'default', 'effect'], rows.map(cellsOf))
        : tableOf(
            ['option', 'default', 'effect'],
            rows.map((row) => cellsWith(row, sources.defaults(path, constant))),
          )
    return `${marker}\n${OFF}\n\n${table}\n\n${ON}\n<!-- end of options -->`
  })
}

function cellsOf(row: OptionRow): string[] {
  return [`\`${row.name}\``, `\`${row.type}\``, row.default, row.effect]
}

function cellsWith(row: OptionRow, values: Readonly<Record<string, unknown>>): string[] {
  // A default in words depends on the machine, for example "a quarter of the heap limit".
  if (/^[a-z]/.test(row.default) && row.default !== 'required') return [`\`${row.name}\``, row.default, row.effect]
  const value = values[row.name]
  const shown = typeof value === 'number' ? value.toLocaleString('en') : `\`${String(value)}\``
  const stated = /^[\d,]+/.exec(row.default)?.[0]
  if (stated !== undefined && stated !== shown) {
    throw new Error(
      `${row.name}: the docstring states the default ${stated}, the code ${shown}. Correct the docstring.`,
    )
  }
  return [`\`${row.name}\``, shown, row.effect]
}

/** Aligns the columns as the formatter does. */
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => cells.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = head.map((_, column) => Math.max(3, ...lines.map((cells) => (cells[column] ?? '').length)))
  const lineOf = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [first = [], ...others] = lines
  return [lineOf(first), lineOf(widths.map((width) => '-'.repeat(width))), ...others.map(lineOf)].join('\n')
}
