import { spawnSync } from 'node:child_process'
import { createLogger, logger as globalLogger, MemorySink } from '@fw/log'
import { expect, it } from 'vitest'
import { entriesLogger } from './entries-logger.ts'

it('returns the configured logger, or the global logger by default', () => {
  const logger = createLogger({ sinks: [new MemorySink()] })
  expect(entriesLogger({ logger })).toBe(logger)
  expect(entriesLogger({})).toBe(globalLogger)
})

it('flushes its sinks when the process exits', () => {
  const source = `
import { entriesLogger } from ${JSON.stringify(import.meta.resolve('./entries-logger.ts'))}
const held = []
const sink = { write: (record) => void held.push(record.message), flush: () => console.log(held.splice(0).join()), close() {} }
entriesLogger({ sinks: [sink] }).debug('held')`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', source], { encoding: 'utf8' })
  expect(stdout).toBe('held\n')
})
