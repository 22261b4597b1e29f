import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { setImmediate, setTimeout as delay } from 'node:timers/promises'
import { tempFolder, type TempFolder } from '@fw/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { found } from '../../test/found.ts'
import { gatherAbsence } from './absence.ts'
import type { Coding } from '../http/precompressed.ts'
import { FileStat } from './file-stat.ts'
import type { Resolution } from './resolution.ts'
import { KnownPaths } from './known-paths.ts'
import type { Variant } from './resolution.ts'

const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/** Returns a file system that counts its stat calls. */
function countingFiles(): { files: FileStat; count: () => number } {
  let count = 0
  const files = new FileStat((path) => {
    count++
    return stat(path)
  })
  return { files, count: () => count }
}

/** A known path and its file. */
class Path {
  readonly #known: KnownPaths
  readonly #path: string

  constructor(known: KnownPaths, path: string) {
    this.#known = known
    this.#path = path
  }

  /** Reports whether the path still names the same file, for the variant with a content coding. */
  isUnchanged(isShared: boolean, coding: Coding = 'identity'): boolean | 'unknown' {
    const resolution = this.#resolution()
    return this.#known.isUnchanged(resolution, variantOf(resolution, coding), isShared)
  }

  isUnchangedLater(coding: Coding = 'identity'): Promise<boolean> {
    const resolution = this.#resolution()
    return this.#known.isUnchangedLater(resolution, variantOf(resolution, coding))
  }

  #resolution(): Resolution {
    const resolution = this.#known.get(this.#path)
    if (resolution === undefined) throw new Error(`${this.#path} is not known`)
    return resolution
  }
}

function variantOf({ variants }: Resolution, coding: Coding): Variant {
  const variant = variants.find((other) => other.coding === coding)
  if (variant === undefined) throw new Error(`There is no ${coding}`)
  return variant
}

/** Stores the files of a settled directory as known paths. */
async function knownPaths(folder: TempFolder, files: FileStat, ...names: readonly string[]): Promise<Path[]> {
  const known = new KnownPaths(files)
  for (const name of names) known.set(name, await gatherAbsence(await found(folder.join(name)), files))
  return names.map((name) => new Path(known, name))
}

const settle = (): Promise<void> => delay(40)

/** A simulated clock, so that checks do not seem slow or old on a busy machine. */
let nowMs = 1e6

beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs))
afterEach(() => vi.restoreAllMocks())

/** Runs `action` at the start of the next turn, so that it does not span two turns. */
const inOneTurn = async <T>(action: () => T): Promise<T> => {
  await setImmediate()
  return action()
}

describe('KnownPaths', () => {
  it('checks a path once per turn for all requests that share the check', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    const { files, count } = countingFiles()
    const [path] = await knownPaths(folder, files, 'a')
    const before = count()
    for (const checks of [2, 4]) {
      nowMs += 0.5
      const got = await inOneTurn(() => Array.from({ length: 5 }, () => path?.isUnchanged(true)))
      expect([new Set(got), count() - before]).toEqual([new Set([true]), checks])
    }
  })

  it('checks a directory once per turn for all its files', async () => {
    const names = ['a', 'b', 'c', 'd']
    await using folder = await tempFolder(Object.fromEntries(names.map((name) => [name, name])))
    await settle()
    const { files, count } = countingFiles()
    const paths = await knownPaths(folder, files, ...names)
    const before = count()
    const got = await inOneTurn(() => paths.map((path) => path.isUnchanged(true)))
    expect([got.includes(false), count() - before]).toEqual([false, names.length + 1])
    writeFileSync(folder.join('b.br'), 'BR')
    nowMs += 0.5
    expect(await inOneTurn(() => paths.map((path) => path.isUnchanged(true)))).toEqual(names.map(() => false))
  })

  it('checks the file in each turn, and its directory at most once per 0.1 ms', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    const { files, count } = countingFiles()
    const [path] = await knownPaths(folder, files, 'a')
    const checks: number[] = []
    for (const laterMs of [1, 0.05, 0.04, 0.02, 0.09]) {
      nowMs += laterMs
      const before = count()
      expect(await inOneTurn(() => path?.isUnchanged(true))).toBe(true)
      checks.push(count() - before)
    }
    expect(checks).toEqual([2, 1, 1, 2, 1])
  })

  it('checks absent names themselves after a second', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    const { files, count } = countingFiles()
    const known = new KnownPaths(files)
    const all = await gatherAbsence(await found(folder.join('a')), files)
    if (all.absence === undefined) throw new Error('The name exists')
    all.absence.atMs -= 1000
    known.set('a', all)
    const path = new Path(known, 'a')
    const before = count()
    expect(path.isUnchanged(false)).toBe(true)
    expect(count() - before).toBe(4)
    expect(path.isUnchanged(false)).toBe(true)
    expect(count() - before).toBe(6)
  })

  it('checks a path on every request if requests share nothing', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    const { files, count } = countingFiles()
    const [path] = await knownPaths(folder, files, 'a')
    const before = count()
    await inOneTurn(() => Array.from({ length: 5 }, () => path?.isUnchanged(false)))
    expect(count() - before).toBe(10)
  })

  it('checks again during a long turn', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    const [path] = await knownPaths(folder, new FileStat(), 'a')
    const got = await inOneTurn(() => {
      const first = path?.isUnchanged(true)
      writeFileSync(folder.join('a'), 'changed')
      nowMs += 1
      return [first, path?.isUnchanged(true)]
    })
    expect(got).toEqual([true, false])
  })

  it('checks only the sidecar to send', async () => {
    await using folder = await tempFolder({ a: 'A', 'a.br': 'BR', 'a.gz': 'GZ' })
    await settle()
    const { files, count } = countingFiles()
    const [path] = await knownPaths(folder, files, 'a')
    const before = count()
    expect(path?.isUnchanged(false, 'br')).toBe(true)
    expect(count() - before).toBe(3)
    writeFileSync(folder.join('a.gz'), 'other')
    expect([path?.isUnchanged(false, 'br'), path?.isUnchanged(false, 'gzip')]).toEqual([true, false])
  })

  it.each<[string, (path: string) => void, Coding]>([
    ['changed', (path) => writeFileSync(path, 'other'), 'identity'],
    ['appeared', (path) => writeFileSync(`${path}.zst`, 'new'), 'identity'],
    ['been deleted', (path) => rmSync(path), 'br'],
    ['been deleted, although a different one is sent', (path) => rmSync(`${path}.br`), 'identity'],
    ['replaced a sidecar', (path) => renameSync(`${path}.next`, `${path}.br`), 'br'],
  ])('detects that a file has %s', async (_, change, coding) => {
    await using folder = await tempFolder({ a: 'A', 'a.br': 'BR', 'a.next': 'NEXT' })
    await settle()
    const [path] = await knownPaths(folder, new FileStat(), 'a')
    expect([path?.isUnchanged(false, coding), await path?.isUnchangedLater(coding)]).toEqual([true, true])
    change(folder.join('a'))
    expect([path?.isUnchanged(false, coding), await path?.isUnchangedLater(coding)]).toEqual([false, false])
  })

  it('returns unknown while the file system is slow or failing', async () => {
    await using folder = await tempFolder({ a: 'A' })
    const failing = new KnownPaths(
      new FileStat(() => {
        throw new Error('EIO')
      }),
    )
    failing.set('a', await found(folder.join('a')))
    const path = new Path(failing, 'a')
    expect([path.isUnchanged(true), await path.isUnchangedLater()]).toEqual(['unknown', false])
  })

  it('stores a limited number of paths of limited length', async () => {
    await using folder = await tempFolder({ a: 'A' })
    const known = new KnownPaths(new FileStat())
    const resolution = await found(folder.join('a'))
    for (let i = 0; i < 10_000; i++) known.set(`/${i}`, resolution)
    expect([known.get('/0'), known.get('/9999')]).toEqual([undefined, resolution])
    known.set(`/${'x'.repeat(300)}`, resolution)
    expect(known.get(`/${'x'.repeat(300)}`)).toBeUndefined()
  })
})
