import { statSync, writeFileSync } from 'node:fs'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { tempFolder } from '@fw/testing'
import { describe, expect, it, vi } from 'vitest'
import { gatherAbsence } from './absence.ts'
import { FileStat } from './file-stat.ts'
import type { Resolution } from './finder.ts'
import { KnownPaths } from './known-paths.ts'

const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/** A file system that counts how often it is looked at. */
function countedLooks(): { files: FileStat; count: () => number } {
  let count = 0
  const files = new FileStat((path) => {
    count++
    return stat(path)
  })
  return { files, count: () => count }
}

const found = (...paths: readonly string[]): Resolution => ({
  variants: [],
  looks: paths.map((path) => ({ path, stats: stat(path) })),
})

/** In the turn that follows, so that what the test does is not cut in two by the end of a turn. */
const inOneTurn = async <T>(action: () => T): Promise<T> => {
  await setImmediate()
  return action()
}

/** As `inOneTurn`, in no time at all: however busy the machine is, no look is too old to be shared. */
const inOneMoment = async <T>(action: () => T): Promise<T> => {
  await setImmediate()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  try {
    return action()
  } finally {
    clock.mockRestore()
  }
}

describe('KnownPaths', () => {
  it('looks once in a turn, for all that share it, and again in the next', async () => {
    await using folder = await tempFolder({ a: 'A' })
    const { files, count } = countedLooks()
    const known = new KnownPaths(files)
    const resolution = found(folder.join('a'), folder.join('a.br'))
    known.set('/a', resolution)
    for (const looks of [2, 4]) {
      const got = await inOneMoment(() => Array.from({ length: 5 }, () => known.get('/a', true)))
      expect(new Set(got)).toEqual(new Set([resolution]))
      expect(count()).toBe(looks)
    }
  })

  it('looks at a directory once in a turn, for all files in it', async () => {
    const names = ['a', 'b', 'c', 'd']
    await using folder = await tempFolder(Object.fromEntries(names.map((name) => [name, name])))
    await delay(40)
    const { files, count } = countedLooks()
    const known = new KnownPaths(files)
    for (const name of names) {
      const all = found(folder.join(name), folder.join(`${name}.br`), folder.join(`${name}.gz`))
      known.set(name, await gatherAbsence(all, files))
    }
    const before = count()
    const got = await inOneMoment(() => names.map((name) => known.get(name, true)))
    expect([got.includes(undefined), count() - before]).toEqual([false, names.length + 1])
    writeFileSync(folder.join('b.br'), 'BR')
    expect(await inOneMoment(() => names.map((name) => known.get(name, true)))).toEqual(names.map(() => undefined))
  })

  it('looks for what is absent by name once a second has passed', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await delay(40)
    const { files, count } = countedLooks()
    const known = new KnownPaths(files)
    const all = await gatherAbsence(found(folder.join('a'), folder.join('a.br'), folder.join('a.gz')), files)
    if (all.absence === undefined) throw new Error('It is there')
    all.absence.atMs -= 1000
    known.set('a', all)
    const before = count()
    expect(known.get('a', false)).toBe(all)
    expect(count() - before).toBe(3)
    expect(known.get('a', false)).toBe(all)
    expect(count() - before).toBe(5)
  })

  it('looks every time for those that share nothing', async () => {
    await using folder = await tempFolder({ a: 'A' })
    const { files, count } = countedLooks()
    const known = new KnownPaths(files)
    known.set('/a', found(folder.join('a')))
    await inOneTurn(() => Array.from({ length: 5 }, () => known.get('/a', false)))
    expect(count()).toBe(5)
  })

  it('looks again in a turn that lasts long', async () => {
    await using folder = await tempFolder({ a: 'A' })
    const known = new KnownPaths(new FileStat())
    known.set('/a', found(folder.join('a')))
    const [before, after] = await inOneTurn(() => {
      const first = known.get('/a', true)
      writeFileSync(folder.join('a'), 'changed')
      const until = performance.now() + 5
      while (performance.now() < until);
      return [first, known.get('/a', true)]
    })
    expect([before === undefined, after]).toEqual([false, undefined])
  })

  it.each<[string, string, (path: string) => void]>([
    ['changed', 'a', (path) => writeFileSync(path, 'other')],
    ['appeared', 'a.br', (path) => writeFileSync(path, 'new')],
  ])('knows nothing once something has %s', async (_, name, change) => {
    await using folder = await tempFolder({ a: 'A' })
    const known = new KnownPaths(new FileStat())
    known.set('/a', found(folder.join('a'), folder.join('a.br')))
    expect(known.get('/a', false)).toBeDefined()
    change(folder.join(name))
    expect(known.get('/a', false)).toBeUndefined()
  })

  it('knows nothing while the file system is slow or fails', () => {
    const known = new KnownPaths(
      new FileStat(() => {
        throw new Error('EIO')
      }),
    )
    known.set('/a', { variants: [], looks: [{ path: 'a', stats: undefined }] })
    expect(known.get('/a', true)).toBeUndefined()
  })

  it('keeps a bounded number of paths, none of them long', () => {
    const known = new KnownPaths(new FileStat())
    const nothing: Resolution = { variants: [], looks: [] }
    const isKnown = (path: string): boolean => known.get(path, true) !== undefined
    for (let i = 0; i < 10_000; i++) known.set(`/${i}`, nothing)
    expect([isKnown('/0'), isKnown('/9999')]).toEqual([false, true])
    known.set(`/${'x'.repeat(300)}`, nothing)
    expect(isKnown(`/${'x'.repeat(300)}`)).toBe(false)
  })
})
