/**
 * Finds the name closest to a misspelled one.
 *
 * @returns `undefined` if every name differs in more than a third of its characters, rounded up
 */
export function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const lower = wrong.toLowerCase()
  let nearest: string | undefined
  let least = Math.ceil(wrong.length / 3) + 1
  for (const name of names) {
    const distance = editDistance(lower, name.toLowerCase())
    if (distance >= least) continue
    least = distance
    nearest = name
  }
  return nearest
}

/** Counts the insertions, deletions, substitutions and swaps of adjacent characters that turn one string into another. */
function editDistance(from: string, to: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      }
      row.push(cost)
    }
    beforeLast = last
    last = row
  }
  return at(last, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
