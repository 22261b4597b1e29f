import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

const [LOG, REQUEST_LOGGER] = ['@fw/log', '../src/request-logger.ts'].map((name) => import.meta.resolve(name))

it('does not trigger garbage collection in 20 million RequestLogger calls below the threshold', () => {
  const source = `
import { createLogger, Level, MemorySink } from ${JSON.stringify(LOG)}
import { RequestLogger } from ${JSON.stringify(REQUEST_LOGGER)}
const logger = createLogger({ level: Level.Info, sinks: [new MemorySink()] })
const log = new RequestLogger(logger, () => { throw new Error('made a prefix') })
const child = log.with({ user: 7 })
function calls(count) {
  for (let at = 0; at < count; at++) {
    log.debug('user {} asked {}', 'name', at)
    child.debug('user {} asked {}', 'name', at)
  }
}
// After these calls the functions are compiled, even on a busy machine, and objects from the start are collected.
calls(1_000_000)
gc()
console.log('begin')
calls(10_000_000)
console.log('end')
// Proves that the test can see a collection.
const kept = []
for (let at = 0; at < 1_000_000; at++) kept[at % 10] = { at }
console.log(kept.length)`
  const flags = [
    '--expose-gc',
    '--trace-gc',
    '--semi-space-growth-factor=1',
    '--max-semi-space-size=1',
    '--input-type=module',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, '-e', source], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const [, during = '', after = ''] = stdout.split(/^(?:begin|end)$/m)
  expect(during).not.toContain('Scavenge')
  expect(after).toContain('Scavenge')
})
