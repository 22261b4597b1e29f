/** Parses lines such as `fw fetch      123,456/s  1.20`. @returns requests per second by candidate */
export function parseResponses(output: string): ReadonlyMap<string, number> {
  const lines = output.matchAll(/^(\S.*?)\s{1,}([\d,]+)\/s/gm)
  return new Map(Array.from(lines, ([, name = '', rate = '']) => [name.trim(), Number(rate.replaceAll(',', ''))]))
}

/**
 * Parses lines such as `   50 params   million/s: fw 5.10 | rou3 3.20`.
 *
 * @returns million lookups per second by `50 params fw`
 */
export function parseMatchers(output: string): ReadonlyMap<string, number> {
  const figures = new Map<string, number>()
  for (const [, routes, kind, cells = ''] of output.matchAll(/^\s*(\d+) (\w+)\s+million\/s: (.*)$/gm)) {
    for (const [, name, figure] of cells.matchAll(/(\S+) ([\d.]+)/g)) {
      figures.set(`${routes} ${kind} ${name}`, Number(figure))
    }
  }
  return figures
}
