import { expect, it } from 'vitest'
import { runScript } from './run-script.ts'

const CALLS = 500_000

/**
 * Returns the bytes that a call allocates, rounded. V8 does not collect young objects during the loop, so the result includes
 * all allocations. The result is the minimum of several rounds, because the first rounds also compile code.
 */
function allocatedPerCall(statement: string, nodeFlags: readonly string[]): number {
  const { stdout, stderr } = runScript(
    `
log.init({ sinks: [new log.MemorySink()] })
const child = log.with({ a: 1 }).withPrefix('[x] ')
const rest = (...args: unknown[]): void => { if (args.length > 100) throw new Error() }
function calls(count: number): void {
  for (let at = 0; at < count; at++) { ${statement} }
}
calls(1000)
function round(): number {
  // Objects from before must not be collected within the loop.
  gc?.()
  const before = process.memoryUsage().heapUsed
  calls(${CALLS})
  return Math.abs(Math.round((process.memoryUsage().heapUsed - before) / ${CALLS}))
}
console.log(Math.min(round(), round(), round()))`,
    { nodeFlags: ['--expose-gc', '--max-semi-space-size=128', '--min-semi-space-size=128', ...nodeFlags] },
  )
  if (stderr !== '') throw new Error(stderr)
  return Number(stdout)
}

// Optimized code can omit an allocation that the interpreter performs, so the tests check both.
const MODES = [
  ['compiled', []],
  ['interpreted', ['--no-opt', '--no-maglev', '--no-sparkplug']],
] as const

it.each(MODES)('does not allocate for a call below the threshold, %s', (_mode, flags) => {
  expect(allocatedPerCall(`log.debug('listening on {}:{}', 'host', 80)`, flags)).toBe(0)
  expect(allocatedPerCall(`log.FW_LOG_DEBUG('plain')`, flags)).toBe(0)
})

it.each(MODES)('does not allocate for a call to a child logger below the threshold, %s', (_mode, flags) => {
  expect(allocatedPerCall(`child.debug('listening on {}:{}', 'host', 80)`, flags)).toBe(0)
})

it('measures the allocation of a single array of arguments', () => {
  expect(allocatedPerCall(`rest('listening on {}:{}', 'host', 80)`, MODES[1][1])).toBeGreaterThanOrEqual(16)
})

it('does not trigger garbage collection in 20 million calls below the threshold', () => {
  const { stdout } = runScript(
    `
log.init({ sinks: [new log.MemorySink()] })
const child = log.with({ a: 1 }).withPrefix('[x] ')
function calls(count: number): void {
  for (let at = 0; at < count; at++) {
    log.debug('listening on {}:{}', 'host', at)
    child.debug('listening on {}:{}', 'host', at)
  }
}
// After these calls the functions are compiled, even on a busy machine, and objects from the start are collected.
calls(1_000_000)
gc?.()
console.log('begin')
calls(10_000_000)
console.log('end')
// Proves that the test can see a collection.
const kept: object[] = []
for (let at = 0; at < 1_000_000; at++) kept[at % 10] = { at }
console.log(kept.length)`,
    { nodeFlags: ['--expose-gc', '--trace-gc', '--semi-space-growth-factor=1', '--max-semi-space-size=1'] },
  )
  const [, during = '', after = ''] = stdout.split(/^(?:begin|end)$/m)
  expect(during).not.toContain('Scavenge')
  expect(after).toContain('Scavenge')
})
