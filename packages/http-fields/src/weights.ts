/** Matches a qvalue (RFC 9110 §12.4.2). */
const QVALUE = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * Parses a list of alternatives with weights, as in `Accept` or `Accept-Encoding`. Ignores parameters other than `q`. A
 * malformed weight counts as 0. For a repeated name, the greatest weight counts.
 *
 * @returns The weight of each lower-case name, from 0 ("not acceptable") to 1
 * @see RFC 9110 §12.4.2, §12.5.1, §12.5.3
 */
export function parseWeights(field: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const member of field.split(',')) {
    const [first = '', ...parameters] = member.split(';')
    const name = first.trim().toLowerCase()
    if (name === '') continue
    weights.set(name, Math.max(weightOf(parameters), weights.get(name) ?? 0))
  }
  return weights
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    // A second `=` belongs to the value and makes it malformed.
    const [name = '', ...value] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'q') continue
    const text = value.join('=').trim()
    return QVALUE.test(text) ? Number(text) : 0
  }
  return 1
}
