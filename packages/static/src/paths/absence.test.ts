import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { tempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { found } from '../../test/found.ts'
import { stopClock } from '../../test/stop-clock.ts'
import { gatherAbsence, isAged, isSameDirectory, areNamesAbsent } from './absence.ts'
import type { Absence } from './resolution.ts'
import { FileStat } from './file-stat.ts'

const stat = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/** Waits long enough that two changes to a directory have different timestamps. */
const settle = (): Promise<void> => delay(40)

/** A file system that does not update directory times. */
const timeless = (path: string) => {
  const stats = stat(path)
  return stats?.isDirectory() === true ? Object.assign(stats, { mtimeNs: 0n, ctimeNs: 0n }) : stats
}

async function absenceOf(folder: string, files = new FileStat()): Promise<Absence> {
  const { absence } = await gatherAbsence(await found(`${folder}/a`), files)
  if (absence === undefined) throw new Error('There is none')
  return absence
}

describe('gatherAbsence', () => {
  it('keeps the check of the plain file and covers absent names with a check of the directory', async () => {
    await using folder = await tempFolder({ a: 'A', 'a.gz': 'GZ' })
    await settle()
    const resolution = await found(folder.join('a'))
    const { checks, absence, variants } = await gatherAbsence(resolution, new FileStat())
    expect(checks.map(({ path }) => path)).toEqual([folder.join('a')])
    expect(absence).toMatchObject({ directory: folder.path, paths: [folder.join('a.br'), folder.join('a.zst')] })
    expect(variants).toBe(resolution.variants)
  })

  it.each<[string, (folder: string) => Promise<void> | void]>([
    [
      'in a directory that has just changed',
      (folder) => {
        stopClock()
        writeFileSync(`${folder}/x`, '')
      },
    ],
    [
      'with a link that leads nowhere',
      (folder) => {
        symlinkSync('nowhere', `${folder}/a.br`)
        return settle()
      },
    ],
  ])('keeps separate checks for names %s', async (_, prepare) => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    await prepare(folder.path)
    const resolution = await found(folder.join('a'))
    expect(resolution.checks).toHaveLength(4)
    expect(await gatherAbsence(resolution, new FileStat())).toBe(resolution)
  })
})

describe('an absence', () => {
  it.each<[string, (folder: string) => void]>([
    ['a name has appeared', (folder) => writeFileSync(`${folder}/a.br`, '')],
    ['a name has appeared as a link', (folder) => symlinkSync('a', `${folder}/a.gz`)],
    ['a different file has appeared', (folder) => writeFileSync(`${folder}/b`, '')],
    ['a file has been deleted', (folder) => rmSync(`${folder}/a`)],
    [
      'the directory has been replaced',
      (folder) => {
        renameSync(folder, `${folder}.old`)
        mkdirSync(folder)
      },
    ],
  ])('expires once %s', async (_, change) => {
    await using folder = await tempFolder({ 'dir/a': 'A' })
    const files = new FileStat()
    await settle()
    const absence = await absenceOf(folder.join('dir'), files)
    expect(isSameDirectory(absence, stat(absence.directory))).toBe(true)
    change(folder.join('dir'))
    expect(isSameDirectory(absence, stat(absence.directory))).toBe(false)
  })

  it('expires after a second, for file systems without directory times', async () => {
    await using folder = await tempFolder({ a: 'A' })
    const files = new FileStat(timeless)
    const absence = await absenceOf(folder.path, files)
    writeFileSync(folder.join('a.br'), 'BR')
    const { atMs } = absence
    expect([isAged(absence, atMs + 990), isAged(absence, atMs + 1010)]).toEqual([false, true])
    expect(isSameDirectory(absence, timeless(absence.directory))).toBe(true)
    expect(areNamesAbsent(absence, files, atMs + 1010)).toBe(false)
    expect(isAged(absence, atMs + 1020)).toBe(false)
  })

  it('expires if the check of a name fails', async () => {
    await using folder = await tempFolder({ a: 'A' })
    await settle()
    const absence = await absenceOf(folder.path)
    const failing = new FileStat(() => {
      throw new Error('EIO')
    })
    expect(areNamesAbsent(absence, failing, absence.atMs)).toBe(false)
  })
})
