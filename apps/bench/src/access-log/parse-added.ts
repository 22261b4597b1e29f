/** Parses lines such as `fw json    3061 ns, +1629`. @returns the added microseconds by name */
export function parseAdded(output: string): ReadonlyMap<string, number> {
  const lines = output.matchAll(/^(\S.*?) +\d+ ns, ([+-]\d+)$/gm)
  return new Map(Array.from(lines, ([, name = '', added]) => [name, Number(added) / 1000]))
}
