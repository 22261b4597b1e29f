import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { openFilesIn } from '../../test/open-files.ts'
import { openSource } from './source.ts'
import type { Confinement } from '../options.ts'

/** Opens a file and returns its content or the failure. */
async function contentOf(path: string, base: string, confinement: Confinement = 'inside'): Promise<string> {
  const source = await openSource(path, base, confinement)
  if (typeof source === 'string') return `(${source})`
  try {
    return await source.handle.readFile('utf8')
  } finally {
    await source.close()
  }
}

/** Switches the link repeatedly in another process. */
const SWITCH = `
  const { renameSync, symlinkSync } = require('node:fs')
  const { parentPort, workerData: folder } = require('node:worker_threads')
  let turns = 0
  setInterval(() => {
    for (let i = 0; i < 50; i++) {
      symlinkSync(turns++ % 2 ? 'r1' : 'r2', folder + '/next')
      renameSync(folder + '/next', folder + '/current')
    }
    if (turns === 50) parentPort.postMessage('begun')
  }, 1)
`

describe('openSource', () => {
  it('opens only regular files', async () => {
    await using folder = await tempFolder({ 'root/a.txt': 'AA' })
    const base = `${folder.join('root')}/`
    mkdirSync(`${base}dir`)
    execFileSync('mkfifo', [`${base}pipe`])
    symlinkSync('/dev/null', `${base}null`)
    symlinkSync('nowhere', `${base}broken`)
    symlinkSync('loop', `${base}loop`)
    const server = createServer()
    await once(server.listen(`${base}socket`), 'listening')
    try {
      expect(await contentOf(`${base}a.txt`, base)).toBe('AA')
      for (const name of ['dir', 'pipe', 'null', 'broken', 'loop', 'socket', 'none', 'a.txt/b', 'n'.repeat(300)]) {
        for (const confinement of ['inside', 'follow', 'deny'] as const) {
          expect([name, await contentOf(base + name, base, confinement)]).toEqual([name, '(missing)'])
        }
      }
    } finally {
      server.close()
    }
  })

  it('follows links according to the symlinks option', async () => {
    await using folder = await tempFolder({
      'root/a.txt': 'AA',
      'root/dir/b.txt': 'BB',
      'root-secret/s.txt': 'SIBLING',
      'out.txt': 'OUT',
    })
    const base = `${folder.join('root')}/`
    symlinkSync('a.txt', `${base}inside.txt`)
    symlinkSync('dir', `${base}linked`)
    symlinkSync('../out.txt', `${base}outside.txt`)
    symlinkSync(folder.join('root-secret'), `${base}sibling`)
    symlinkSync('root', folder.join('current'))

    const table = [
      // name, inside, follow, deny
      ['a.txt', 'AA', 'AA', 'AA'],
      ['inside.txt', 'AA', 'AA', '(outside)'],
      ['linked/b.txt', 'BB', 'BB', '(outside)'],
      ['outside.txt', '(outside)', 'OUT', '(outside)'],
      ['sibling/s.txt', '(outside)', 'SIBLING', '(outside)'],
    ] as const
    for (const [name, inside, follow, deny] of table) {
      const contents = [
        await contentOf(base + name, base, 'inside'),
        await contentOf(base + name, base, 'follow'),
        await contentOf(base + name, base, 'deny'),
      ]
      expect([name, ...contents]).toEqual([name, inside, follow, deny])
    }
    const current = `${folder.join('current')}/`
    for (const confinement of ['inside', 'follow', 'deny'] as const) {
      expect(await contentOf(`${current}a.txt`, current, confinement)).toBe('AA')
    }
  })

  it('closes every descriptor that it does not return', async () => {
    await using folder = await tempFolder({ 'root/a.txt': 'AA', 'out.txt': 'OUT' })
    const base = `${folder.join('root')}/`
    symlinkSync('../out.txt', `${base}out`)
    mkdirSync(`${base}dir`)
    const source = await openSource(`${base}a.txt`, base, 'inside')
    expect(openFilesIn(folder.path)).toEqual([`${base}a.txt`])
    if (typeof source !== 'string') await source.close()
    for (let i = 0; i < 20; i++) {
      for (const name of ['a.txt', 'out', 'dir', 'none']) await contentOf(base + name, base)
    }
    expect(openFilesIn(folder.path)).toEqual([])
  })

  it('opens one version of a file that is being replaced', async () => {
    await using folder = await tempFolder({ 'a.txt': 'a'.repeat(10) })
    const base = `${folder.path}/`
    for (let i = 0; i < 50; i++) {
      writeFileSync(`${base}next`, String(i % 10).repeat(10))
      const reading = contentOf(`${base}a.txt`, base)
      renameSync(`${base}next`, `${base}a.txt`)
      expect(await reading).toMatch(/^(.)\1{9}$/)
    }
  })

  it('finds a file while its link is being switched and the old target deleted', async () => {
    await using folder = await tempFolder({})
    const base = `${folder.path}/`
    let last = ''
    const found: string[] = []
    let isDone = false
    const reading = async (): Promise<void> => {
      while (!isDone) found.push(await contentOf(`${base}current`, base))
    }
    let readers: Promise<unknown> | undefined
    for (let i = 0; i < 60 || found.length <= 200; i++) {
      const name = `v${i}`
      writeFileSync(base + name, name)
      symlinkSync(name, `${base}next`)
      renameSync(`${base}next`, `${base}current`)
      if (last !== '') rmSync(base + last)
      last = name
      // Start enough requests that the link is switched more than once during one of them.
      readers ??= Promise.all(Array.from({ length: 64 }, reading))
      await delay(2)
    }
    isDone = true
    await readers
    expect(found.filter((text) => !/^v\d+$/.test(text))).toEqual([])
    expect(found.length).toBeGreaterThan(200)
  })
})

describe('openSource, while a link to the directory is being switched', () => {
  it.each(['inside', 'deny'] as const)('finds a file that both targets contain (%s)', async (confinement) => {
    await using folder = await tempFolder({ 'r1/a': 'A', 'r2/a': 'A' })
    symlinkSync('r1', folder.join('current'))
    const worker = new Worker(SWITCH, { eval: true, workerData: folder.path })
    try {
      await once(worker, 'message')
      const found = new Set<string>()
      for (let i = 0; i < 500; i++)
        found.add(await contentOf(folder.join('current/a'), folder.join('current/'), confinement))
      expect([...found]).toEqual(['A'])
    } finally {
      await worker.terminate()
    }
  })
})
