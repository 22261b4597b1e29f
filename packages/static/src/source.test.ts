import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { openSource, readWhole, type Confinement } from './source.ts'

/** What comes of opening a file: its content, or why there is none. */
async function contentOf(path: string, base: string, confinement: Confinement = 'inside'): Promise<string> {
  const source = await openSource(path, base, confinement)
  if (typeof source === 'string') return `(${source})`
  try {
    return Buffer.from((await readWhole(source)) ?? []).toString()
  } finally {
    await source.close()
  }
}

const descriptors = (): number => readdirSync('/proc/self/fd').length

describe('openSource', () => {
  it('opens regular files and nothing else', async () => {
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

  it('follows links as it is told', async () => {
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
      ['inside.txt', 'AA', 'AA', '(missing)'],
      ['linked/b.txt', 'BB', 'BB', '(missing)'],
      ['outside.txt', '(missing)', 'OUT', '(missing)'],
      ['sibling/s.txt', '(missing)', 'SIBLING', '(missing)'],
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

  it('leaves no descriptor behind, whatever it finds', async () => {
    await using folder = await tempFolder({ 'root/a.txt': 'AA', 'out.txt': 'OUT' })
    const base = `${folder.join('root')}/`
    symlinkSync('../out.txt', `${base}out`)
    mkdirSync(`${base}dir`)
    await contentOf(`${base}a.txt`, base)
    const before = descriptors()
    for (let i = 0; i < 20; i++) {
      for (const name of ['a.txt', 'out', 'dir', 'none']) await contentOf(base + name, base)
    }
    expect(descriptors()).toBe(before)
  })

  it('serves the file of one moment while it is being replaced', async () => {
    await using folder = await tempFolder({ 'a.txt': 'a'.repeat(10) })
    const base = `${folder.path}/`
    for (let i = 0; i < 50; i++) {
      writeFileSync(`${base}next`, String(i % 10).repeat(10))
      const reading = contentOf(`${base}a.txt`, base)
      renameSync(`${base}next`, `${base}a.txt`)
      expect(await reading).toMatch(/^(.)\1{9}$/)
    }
  })
})

describe('readWhole', () => {
  it('reads no more than there was, and tells when there is less', async () => {
    await using folder = await tempFolder({ 'grown.txt': 'short', 'cut.txt': 'long enough' })
    const grown = await openSource(folder.join('grown.txt'), `${folder.path}/`, 'inside')
    const cut = await openSource(folder.join('cut.txt'), `${folder.path}/`, 'inside')
    if (typeof grown === 'string' || typeof cut === 'string') throw new Error('The files are there')
    writeFileSync(folder.join('grown.txt'), 'short and then some')
    truncateSync(folder.join('cut.txt'), 3)
    expect(Buffer.from((await readWhole(grown)) ?? []).toString()).toBe('short')
    expect(await readWhole(cut)).toBeUndefined()
    await grown.close()
    await cut.close()
  })
})
