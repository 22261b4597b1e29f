/** A Markdown table, its columns padded as formatters do; every row has as many cells as the head. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(3, ...[title, ...rows.map((row) => row[at] ?? '')].map(widthOf)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))).join(' | ')} |\n`
  return line(head) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('')
}

/** Names and figures have no character that is wider than one column. */
function widthOf(cell: string): number {
  return cell.length
}
