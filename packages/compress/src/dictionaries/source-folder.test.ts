import { symlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempFolder, type TempFolder } from '@fw/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dictionaryOf, keyOf } from './dictionary.ts'
import { readSource } from './source-folder.ts'

const MIB = 1024 * 1024
let folder: TempFolder

beforeAll(async () => {
  folder = await tempFolder({
    'v1/app.js': 'version 1',
    'v2/app.js': 'version 2',
    'v2/copy.js': 'version 2',
    'v2/app.css': 'a style',
    'v2/app.js.br': 'a sidecar',
    'v2/empty.js': '',
    '.env.js': 'SECRET=1',
    '.git/app.js': 'a commit',
    'v2/.cache/deep/app.js': 'a cache',
    'v2/trained.js': Buffer.from('37a430ec00', 'hex'),
  })
  await utimes(join(folder.path, 'v1/app.js'), 1000, 1000)
  await symlink(join(folder.path, 'v1/app.js'), join(folder.path, 'link.js'))
})
afterAll(() => folder[Symbol.asyncDispose]())

function contents(...args: Parameters<typeof readSource>): string[] {
  return Array.from(readSource(...args).values(), ({ bytes }) => String(Buffer.from(bytes))).toSorted()
}

describe('readSource', () => {
  it('reads the files of subfolders, without hidden ones, links, sidecars, empty files and trained dictionaries', () => {
    expect(contents(folder.path, '', MIB)).toEqual(['a style', 'version 1', 'version 2'])
  })

  it('reads the files whose names end with the suffix', () => {
    expect(contents(pathToFileURL(folder.path), '.js', MIB)).toEqual(['version 1', 'version 2'])
  })

  it('returns them by their hash', () => {
    const { digest } = dictionaryOf(Buffer.from('version 1'))
    expect(String(readSource(folder.path, '.js', MIB).get(keyOf(digest))?.bytes)).toBe('version 1')
  })

  it('returns the names of each content without their hashes', () => {
    const stems = Array.from(readSource(folder.path, '.js', MIB).values(), (file) => [...file.stems].toSorted())
    expect(stems).toEqual([['app*.js', 'copy*.js'], ['app*.js']])
  })

  it.each([
    [18, ['version 1', 'version 2']],
    [17, ['version 2']],
    [8, []],
  ])('reads the latest files first, up to %i bytes', (maxBytes, expected) => {
    expect(contents(folder.path, '.js', maxBytes)).toEqual(expected)
  })

  it.each(['missing', 'v1/app.js'])('throws an error for a source that is not a folder: %s', (path) => {
    expect(() => readSource(join(folder.path, path), '', MIB)).toThrow(
      'dictionaries: option "source" must be a readable directory, got',
    )
  })
})
