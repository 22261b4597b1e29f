import { writeFileSync } from 'node:fs'
import { rename, symlink, writeFile } from 'node:fs/promises'
import { tempFolder } from '@fw/testing'
import { expect, it } from 'vitest'
import { FileWatch } from './file-watch.ts'

const INTERVAL_MS = 10

it.each<[string, (join: (name: string) => string) => Promise<void>]>([
  // Write in one step: emptying the file first could be detected as a separate change.
  ['is written', async (join) => writeFileSync(join('current'), 'after', { flag: 'r+' })],
  [
    'is replaced by a different file',
    async (join) => {
      await writeFile(join('new'), 'b4')
      await rename(join('new'), join('current'))
    },
  ],
  [
    'is a link that points elsewhere',
    async (join) => {
      await writeFile(join('elsewhere'), 'b4')
      await symlink(join('elsewhere'), join('link'))
      await rename(join('link'), join('current'))
    },
  ],
])('reports once that a file %s', async (_how, change) => {
  await using folder = await tempFolder({ current: 'b4' })
  let changes = 0
  const watch = new FileWatch()
  watch.onChange = () => changes++
  await watch.watch([folder.join('current'), folder.join('missing')], INTERVAL_MS)
  await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS))
  expect(changes).toBe(0)
  await change((name) => folder.join(name))
  await expect.poll(() => changes).toBe(1)
  await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS))
  expect(changes).toBe(1)
  watch.close()
})

it('reports nothing after close', async () => {
  await using folder = await tempFolder({ current: 'b4' })
  let changes = 0
  const watch = new FileWatch()
  watch.onChange = () => changes++
  await watch.watch([folder.join('current')], INTERVAL_MS)
  watch.close()
  await writeFile(folder.join('current'), 'after')
  await new Promise((resolve) => setTimeout(resolve, 5 * INTERVAL_MS))
  expect(changes).toBe(0)
})
