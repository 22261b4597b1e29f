import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { stopClock } from '../../test/stop-clock.ts'
import { FileCache, type CacheOptions } from './cache.ts'
import type { FileIdentity } from './file-identity.ts'

const MIB = 1024 * 1024

const cacheOf = (base: string, options: Partial<CacheOptions> = {}): FileCache =>
  new FileCache({
    base: `${base}/`,
    symlinks: 'inside',
    cacheInMemory: true,
    maxCachedFileBytes: MIB,
    maxCacheBytes: 64 * MIB,
    ...options,
  })

/** Waits long enough that two changes have different timestamps. */
const settle = (): Promise<void> => delay(40)

const state = (size: bigint): FileIdentity => ({ dev: 0n, ino: 0n, mtimeNs: 0n, ctimeNs: 0n, size })

/** Reads a file as a request does: stat, open, load. */
async function read(cache: FileCache, path: string): Promise<{ text: string; from: 'memory' | 'file' }> {
  const source = await cache.open(path, statSync(path, { bigint: true }))
  if (typeof source === 'string') throw new Error(source)
  if ('bytes' in source) return { text: Buffer.from(source.bytes).toString(), from: 'memory' }
  try {
    const loaded = await cache.load(path, source)
    return { text: 'bytes' in loaded ? Buffer.from(loaded.bytes).toString() : '(changed)', from: 'file' }
  } finally {
    await source.close()
  }
}

describe('FileCache', () => {
  it('returns loaded files from memory', async () => {
    await using folder = await tempFolder({ 'a.txt': 'AA', empty: '' })
    const cache = cacheOf(folder.path)
    await settle()
    for (const [name, text] of [
      ['a.txt', 'AA'],
      ['empty', ''],
    ] as const) {
      expect(await read(cache, folder.join(name))).toEqual({ text, from: 'file' })
      expect(await read(cache, folder.join(name))).toEqual({ text, from: 'memory' })
    }
  })

  it('does not cache a file that has just changed', async () => {
    await using folder = await tempFolder()
    const cache = cacheOf(folder.path)
    const path = folder.join('a.txt')
    stopClock()
    writeFileSync(path, 'fresh')
    expect((await read(cache, path)).from).toBe('file')
    expect(cache.bytes).toBe(0)
  })

  it.each<[string, (path: string) => void, string]>([
    ['longer content', (path) => writeFileSync(path, 'much longer'), 'much longer'],
    ['content with the same length', (path) => writeFileSync(path, 'new!'), 'new!'],
    [
      'a different file with the same size and time',
      (path) => {
        const { atime, mtime } = statSync(path)
        writeFileSync(`${path}.tmp`, 'new!')
        utimesSync(`${path}.tmp`, atime, mtime)
        renameSync(`${path}.tmp`, path)
      },
      'new!',
    ],
    [
      'content with an older modification time',
      (path) => {
        writeFileSync(path, 'back')
        utimesSync(path, 1, 1)
      },
      'back',
    ],
  ])('detects %s immediately', async (_, change, text) => {
    await using folder = await tempFolder({ 'a.txt': 'old!' })
    const cache = cacheOf(folder.path)
    const path = folder.join('a.txt')
    await settle()
    await read(cache, path)
    expect(await read(cache, path)).toEqual({ text: 'old!', from: 'memory' })
    change(path)
    expect(await read(cache, path)).toEqual({ text, from: 'file' })
    await settle()
    await read(cache, path)
    expect(await read(cache, path)).toEqual({ text, from: 'memory' })
  })

  it('drops the least recently used file', async () => {
    const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, name.repeat(10_000)]))
    await using folder = await tempFolder(files)
    const cache = cacheOf(folder.path, { maxCacheBytes: 25_000 })
    await settle()
    await read(cache, folder.join('a'))
    await read(cache, folder.join('b'))
    await read(cache, folder.join('a'))
    await read(cache, folder.join('c'))
    expect(cache.bytes).toBeLessThanOrEqual(25_000)
    expect((await read(cache, folder.join('a'))).from).toBe('memory')
    expect((await read(cache, folder.join('c'))).from).toBe('memory')
    expect((await read(cache, folder.join('b'))).from).toBe('file')
  })

  it('counts empty files', async () => {
    await using folder = await tempFolder({ empty: '' })
    const cache = cacheOf(folder.path)
    await settle()
    await read(cache, folder.join('empty'))
    expect(cache.bytes).toBeGreaterThan(0)
  })

  it('reports which files it can cache', () => {
    expect(cacheOf('/x').isCacheable(state(BigInt(MIB)))).toBe(true)
    expect(cacheOf('/x').isCacheable(state(BigInt(MIB) + 1n))).toBe(false)
    expect(cacheOf('/x', { maxCacheBytes: 10 }).isCacheable(state(11n))).toBe(false)
    expect(cacheOf('/x', { cacheInMemory: false }).isCacheable(state(1n))).toBe(false)
  })

  it('opens and reads a file once for concurrent requests', async () => {
    await using folder = await tempFolder({ 'a.txt': 'A'.repeat(500_000) })
    const cache = cacheOf(folder.path)
    const path = folder.join('a.txt')
    await settle()
    const reads = await Promise.all(Array.from({ length: 50 }, () => read(cache, path)))
    expect(reads.filter(({ from }) => from === 'file')).toHaveLength(1)
    for (const { text } of reads) expect(text).toHaveLength(500_000)
  })

  it('opens the file for waiting requests if the first request finds no file', async () => {
    await using folder = await tempFolder({ 'a.txt': 'AA' })
    const cache = cacheOf(folder.path)
    const path = folder.join('a.txt')
    const stats = statSync(path, { bigint: true })
    rmSync(path)
    expect(await Promise.all([cache.open(path, stats), cache.open(path, stats)])).toEqual(['missing', 'missing'])
    expect(await cache.open(path, stats)).toBe('missing')
  })

  it('opens the file for waiting requests if the first request does not load it', async () => {
    await using folder = await tempFolder({ 'a.txt': 'AA' })
    const cache = cacheOf(folder.path)
    const path = folder.join('a.txt')
    await settle()
    const stats = statSync(path, { bigint: true })
    const head = await cache.open(path, stats)
    if (typeof head === 'string' || 'bytes' in head) throw new Error('Nothing is in memory yet')
    const waiting = read(cache, path)
    await head.close()
    expect(await waiting).toEqual({ text: 'AA', from: 'file' })
  })

  it('streams files while clients keep maxCacheBytes of dropped files in memory', async () => {
    const names = ['a', 'b', 'c', 'd']
    await using folder = await tempFolder(Object.fromEntries(names.map((name) => [name, name.repeat(100_000)])))
    const cache = cacheOf(folder.path, { maxCacheBytes: 250_000 })
    await settle()
    /** Opens a file and, if it is admitted, loads and lends it. Returns a function that ends the loan. */
    const send = async (name: string): Promise<(() => void) | 'streamed'> => {
      const path = folder.join(name)
      const source = await cache.open(path, statSync(path, { bigint: true }))
      if (typeof source === 'string') throw new Error(source)
      if ('bytes' in source) return source.borrow?.() ?? 'streamed'
      try {
        const loaded = cache.admits(source) ? await cache.load(path, source) : undefined
        return loaded !== undefined && 'bytes' in loaded && loaded.borrow !== undefined ? loaded.borrow() : 'streamed'
      } finally {
        await source.close()
      }
    }
    const ends: (() => void)[] = []
    for (const name of ['a', 'b', 'c', 'd', 'a']) {
      const end = await send(name)
      if (typeof end !== 'string') ends.push(end)
    }
    // Four files are in memory, two of them in the cache. A fifth does not fit.
    expect([ends.length, await send('b')]).toEqual([4, 'streamed'])
    for (const end of ends) end()
    expect(await send('b')).toBeTypeOf('function')
  })

  it('wakes waiting requests when the file is streamed', async () => {
    await using folder = await tempFolder({ 'a.txt': 'A' })
    const cache = cacheOf(folder.path, { maxCachedFileBytes: 100_000 })
    const path = folder.join('a.txt')
    const stats = statSync(path, { bigint: true })
    writeFileSync(path, 'A'.repeat(200_000))
    const first = await cache.open(path, stats)
    const waiting = cache.open(path, stats)
    if (typeof first === 'string' || 'bytes' in first) throw new Error('Nothing is in memory yet')
    expect(cache.admits(first)).toBe(false)
    const second = await waiting
    expect(second).toHaveProperty('handle')
    await first.close()
    if (typeof second !== 'string' && 'handle' in second) await second.close()
  })
})
