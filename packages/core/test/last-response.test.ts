import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('delivers a response even if the process exits immediately afterwards', async () => {
  const program = fileURLToPath(new URL('programs/last-response.ts', import.meta.url))
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FW_LOG_LEVEL: 'off' },
  })
  const ended = once(child, 'exit')
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
  const response = await fetch(url)
  expect(await response.text()).toBe('good bye')
  expect(await ended).toEqual([0, null])
})
