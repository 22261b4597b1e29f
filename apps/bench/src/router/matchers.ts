// Compares the route lookup with other routers: node src/router/matchers.ts [--quick]
import { parseArgs } from 'node:util'
import findMyWay from 'find-my-way'
import { addRoute, createRouter, findRoute } from 'rou3'
import { median, perSecond } from './measure.ts'

interface Table {
  add(method: string, pattern: string, value: number): void
  find(method: string, path: string): unknown
}

// The package does not export the route table, so import the source file.
const source = new URL('../../../../packages/core/src/routing/route-table.ts', import.meta.url)
const { RouteTable } = (await import(source.href)) as { readonly RouteTable: new () => Table }

type Find = (method: string, path: string) => unknown
type Make = (patterns: readonly string[]) => Find

const MAKERS: Readonly<Record<string, Make>> = {
  fw(patterns) {
    const table = new RouteTable()
    patterns.forEach((pattern, i) => table.add('GET', pattern, i))
    return (method, path) => table.find(method, path)
  },
  'find-my-way'(patterns) {
    const router = findMyWay()
    for (const pattern of patterns) router.on('GET', pattern, () => {})
    return (method, path) => router.find(method as 'GET', path)
  },
  rou3(patterns) {
    const router = createRouter<number>()
    patterns.forEach((pattern, i) => addRoute(router, 'GET', pattern, i))
    return (method, path) => findRoute(router, method, path)
  },
}

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const rounds = values.quick ? 5 : 15

for (const count of [1, 50, 1000]) {
  for (const kind of ['static', 'params', 'unknown'] as const) {
    const patterns = Array.from({ length: count }, (_, i) => patternOf(kind, i))
    const paths = patterns.map((pattern) => pattern.replace(':id', '4711').replace(':post', 'latest'))
    if (kind === 'unknown') paths.forEach((path, i) => (paths[i] = `${path}/more`))
    const finders = Object.entries(MAKERS).map(([name, make]) => ({
      name,
      find: make(patterns),
      rates: [] as number[],
    }))
    for (let round = -2; round < rounds; round++) {
      for (const { find, rates } of finders) {
        let next = 0
        const rate = await perSecond(
          () => {
            // Enough lookups per call to make the measurement overhead negligible.
            for (let i = 0; i < 100; i++) find('GET', paths[next++ % count] ?? '/')
            return undefined
          },
          values.quick ? 20 : 60,
        )
        if (round >= 0) rates.push(rate * 100)
      }
    }
    const cells = finders.map(({ name, rates }) => `${name} ${(median(rates) / 1e6).toFixed(2)}`)
    console.log(`${String(count).padStart(5)} ${kind.padEnd(8)} million/s: ${cells.join(' | ')}`)
  }
}

function patternOf(kind: 'static' | 'params' | 'unknown', i: number): string {
  return kind === 'static' ? `/api/v1/resource${i}/list` : `/api/v1/resource${i}/users/:id/posts/:post`
}
