/**
 * Returns a Markdown table with padded columns, as a formatter would write it. Every row must have the same number of cells.
 */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(3, ...[title, ...rows.map((row) => row[at] ?? '')].map(widthOf)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))).join(' | ')} |\n`
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('')
}

/** Returns the display width. Assumes that names and figures do not contain wide characters. */
function widthOf(cell: string): number {
  return cell.length
}
