import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Comparison } from '../src/comparison.ts'
import { measureFanOut } from '../src/fan-out/measure-fan-out.ts'
import { GROUPS } from '../src/groups.ts'
import { HTTP1_PEERS } from '../src/http1/peers.ts'
import { HTTP1_SCENARIOS } from '../src/http1/scenarios.ts'
import { loadAll } from '../src/soak/load-all.ts'
import { sampleUntil, type Sample } from '../src/soak/sample.ts'
import { measuredRun } from './measured-run.ts'

let run: Awaited<ReturnType<typeof measuredRun>>

beforeAll(async () => {
  run = await measuredRun()
})

afterAll(() => run[Symbol.asyncDispose]())

function comparisonOf(group: string, name: string): Comparison {
  return GROUPS[group]!.comparisons.find((comparison) => comparison.name === name)!
}

describe('a comparison', () => {
  const all = Object.entries(GROUPS).flatMap(([group, { comparisons }]) =>
    comparisons.map((comparison) => [`${group} ${comparison.name}`, comparison] as const),
  )

  it.each(all)('includes the reference and the candidates of its targets: %s', (_name, comparison) => {
    const { reference, targets, candidates } = comparison
    const names = candidates.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining([reference, ...targets.flatMap(({ of, to = of }) => [of, to])]))
  })

  it.each(Object.entries(GROUPS))('uses a unique name in its group: %s', (_group, { comparisons }) => {
    expect(new Set(comparisons.map(({ name }) => name)).size).toBe(comparisons.length)
  })
})

describe('a logger', () => {
  const { candidates, metrics } = comparisonOf('log', 'call')
  it.each(candidates.filter(({ missing }) => missing === undefined))(
    'writes every line: $name',
    async (candidate) => {
      const figures = await candidate.measure(run)
      expect(figures[metrics[0]!]).toBeGreaterThan(0)
    },
    // The C++ logger is compiled first, which takes a minute if other compilers are running at the same time.
    300_000,
  )
})

describe('a server of event streams', () => {
  const { candidates } = comparisonOf('sse', '1000-streams')
  it.each(candidates)('delivers every event: $name', async ({ name }) => {
    const figures = await measureFanOut(name, 20, run, undefined, 400)
    expect(figures.eventMicros).toBeGreaterThanOrEqual(0)
  })
})

describe('a candidate', () => {
  it.each(comparisonOf('router', 'response-static').candidates)('reports a rate: $name', async (candidate) => {
    expect((await candidate.measure(run)).rate).toBeGreaterThan(0)
  })

  it.each([
    ['memory', 'idle-connections', 'connectionKib'],
    ['memory', 'allocation', 'allocatedBytes'],
    ['startup', 'hello', 'startMs'],
  ] as const)('reports its figure: fw in %s %s', async (group, name, metric) => {
    const fw = comparisonOf(group, name).candidates.find((candidate) => candidate.name === 'fw')!
    expect((await fw.measure(run))[metric]).toBeGreaterThan(0)
  })
})

it('counts the sockets of the load until they are closed', async () => {
  await using server = await HTTP1_PEERS[0]!.start({}, run.folder)
  const before = (await server.usage()).openFiles
  const samples: Sample[] = []
  // On a busy machine, a short load can end before the first sample.
  while (!samples.some(({ openFiles }) => openFiles > before)) {
    const over = new AbortController()
    const sampling = sampleUntil(server, over.signal)
    expect(await loadAll(server, HTTP1_SCENARIOS.slice(0, 1), run, 1)).toBeGreaterThan(0)
    over.abort()
    samples.push(...(await sampling))
  }
  expect(samples.every(({ heapMib, rssMib, handles }) => heapMib > 0 && rssMib > heapMib && handles > 0)).toBe(true)
  await expect.poll(async () => (await server.usage()).openFiles).toBe(before)
})
