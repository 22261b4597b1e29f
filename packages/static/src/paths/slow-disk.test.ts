import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Server } from '@fw/core'
import { tempFolder } from '@fw/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { FileStat } from './file-stat.ts'
import { Mount } from '../mount.ts'
import { resolveOptions } from '../options.ts'
import { currentTurn } from './turn.ts'

const LOOK_MS = 5

const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/**
 * Simulates stat calls that take 5 ms, and counts the synchronous and pooled calls. The clock is simulated too, so that a busy
 * machine does not change the result.
 */
function slowDisk(): { files: FileStat; checks: { sync: number[]; async: number } } {
  let nowMs = 1e6
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  onTestFinished(() => clock.mockRestore())
  const checks = { sync: [] as number[], async: 0 }
  const files = new FileStat(
    (path) => {
      checks.sync.push(currentTurn())
      nowMs += LOOK_MS
      return stat(path)
    },
    async (path) => {
      checks.async++
      const doneMs = nowMs + LOOK_MS
      await delay(LOOK_MS)
      nowMs = Math.max(nowMs, doneMs)
      return stat(path)
    },
  )
  return { files, checks }
}

it('keeps the event loop free for other routes on a slow disk', async () => {
  const names = Array.from({ length: 20 }, (_, i) => `${i}.txt`)
  await using folder = await tempFolder(Object.fromEntries(names.map((name) => [name, name])))
  const { files, checks } = slowDisk()
  const mount = new Mount(`${folder.path}/`, 1, resolveOptions(), files)
  await using server = new Server()
  server.router().get('/files/*path', (ctx) => mount.serve(ctx))
  server.router().get('/other', () => 'other')

  // No path is known in the first round, but every path is known in the second.
  for (const round of [1, 2]) {
    checks.sync = []
    const responses: string[] = []
    const ask = async (path: string): Promise<void> => {
      responses.push(await (await server.fetch(path)).text())
    }
    await Promise.all([...names.map((name) => ask(`/files/${name}`)), ask('/other')])
    expect([round, responses[0]]).toEqual([round, 'other'])
    expect(responses.toSorted()).toEqual([...names, 'other'].toSorted())
    // The first call detects the slow disk. Occasional calls then check whether it is still slow.
    expect(checks.sync.length).toBeLessThanOrEqual(6)
    expect(new Set(checks.sync).size).toBe(checks.sync.length)
  }
  expect(checks.async).toBeGreaterThan(names.length)
})
