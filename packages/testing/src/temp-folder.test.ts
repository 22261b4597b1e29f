import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from './temp-folder.ts'

it('holds the given files until its scope ends', async () => {
  let path = ''
  {
    await using folder = await tempFolder({ 'a/b.txt': 'text', 'c.bin': Uint8Array.of(0xff) })
    path = folder.path
    expect(readFileSync(folder.join('a', 'b.txt'), 'utf8')).toBe('text')
    expect([...readFileSync(folder.join('c.bin'))]).toEqual([0xff])
  }
  expect(existsSync(path)).toBe(false)
})

it('is another folder each time', async () => {
  await using first = await tempFolder()
  await using second = await tempFolder()
  expect(first.path).not.toBe(second.path)
})
