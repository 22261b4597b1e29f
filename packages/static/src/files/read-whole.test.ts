import { appendFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tempFolder, type TempFolder } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { readWhole } from './read-whole.ts'
import type { Sample } from './sample.ts'
import { openSource, type FileSource } from './source.ts'

async function openFile(folder: TempFolder): Promise<FileSource> {
  const source = await openSource(folder.join('file'), `${folder.path}/`, 'inside')
  if (typeof source === 'string') throw new Error('The file exists')
  return source
}

/** Opens a file, changes it and reads it. Returns the text, or undefined if a change was detected. */
async function readChanged(
  folder: TempFolder,
  change: () => void,
  before?: Sample,
): Promise<string | Sample | undefined> {
  await using source = Object.assign(await openFile(folder), {
    async [Symbol.asyncDispose]() {
      await source.close()
    },
  })
  change()
  const read = await readWhole(source, before)
  return 'bytes' in read ? Buffer.from(read.bytes).toString() : read.before
}

const CHANGES: [string, (path: string) => void, string][] = [
  ['has become longer', (path) => appendFileSync(path, 'er'), 'long'],
  ['has become shorter', (path) => truncateSync(path, 3), ''],
  ['has different content of the same length', (path) => writeFileSync(path, 'gnol'), 'gnol'],
  ['has different, longer content', (path) => writeFileSync(path, 'other content'), 'othe'],
]

describe('readWhole', () => {
  it.each(CHANGES)('detects a file that %s', async (_, change, text) => {
    await using folder = await tempFolder({ file: 'long' })
    utimesSync(folder.join('file'), 1, 1)
    const before = await readChanged(folder, () => change(folder.join('file')))
    expect(typeof before === 'object' ? Buffer.from(before.bytes).toString() : '').toBe(text)
  })

  it('accepts a file that has grown if the earlier content of the same file matches', async () => {
    await using folder = await tempFolder({ file: 'long' })
    const append = (): void => appendFileSync(folder.join('file'), 'er')
    const before = await readChanged(folder, append)
    if (typeof before !== 'object') throw new Error('It was changed')
    expect(await readChanged(folder, append, before)).toBe('longer')
    // The sample belongs to a different file, or to a different state of this file.
    writeFileSync(folder.join('file'), 'LONG')
    expect(await readChanged(folder, append, before)).toBeTypeOf('object')
    writeFileSync(folder.join('file'), 'long')
    expect(await readChanged(folder, append, { ...before, ino: -1n })).toBeTypeOf('object')
    expect(await readChanged(folder, append, before)).toBe('longer')
  })

  it('reads a file whose name was deleted', async () => {
    await using folder = await tempFolder({ file: 'long' })
    expect(await readChanged(folder, () => rmSync(folder.join('file')))).toBe('long')
  })
})
