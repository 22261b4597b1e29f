import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { parseAdded } from '../access-log/parse-added.ts'

const PROGRAM = fileURLToPath(new URL('./in-process.ts', import.meta.url))

it('in-process.ts measures a request without a subscriber, and with one on each channel', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, '--quick'])
  expect(stderr).toBe('')
  const names = ['no subscriber', 'ten times the checks', 'end of a request', 'last byte', 'middleware']
  expect([...parseAdded(stdout).keys()]).toEqual(names)
})
