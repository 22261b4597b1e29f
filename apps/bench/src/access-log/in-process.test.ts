import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseAdded } from './parse-added.ts'

const PROGRAM = fileURLToPath(new URL('./in-process.ts', import.meta.url))

it('measures every application with and without its log', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, '--quick'])
  expect(stderr).toBe('')
  const own = ['fw', 'fw level off', 'fw combined', 'fw json']
  const peers = ['node-http', 'morgan', 'pino-http', 'fastify', 'fastify pino']
  expect([...parseAdded(stdout).keys()]).toEqual([...own.map((name) => `${name}, not written`), ...own, ...peers])
})
