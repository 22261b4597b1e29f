import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './temp-folder.ts'

describe('tempFolder', () => {
  it('creates a folder with the given files and deletes it when its scope ends', async () => {
    let path = ''
    {
      await using folder = await tempFolder({ 'a/b.txt': 'text', 'c.bin': Uint8Array.of(0xff) })
      path = folder.path
      expect(readFileSync(folder.join('a', 'b.txt'), 'utf8')).toBe('text')
      expect([...readFileSync(folder.join('c.bin'))]).toEqual([0xff])
    }
    expect(existsSync(path)).toBe(false)
  })

  it('creates a different folder on each call', async () => {
    await using first = await tempFolder()
    await using second = await tempFolder()
    expect(first.path).not.toBe(second.path)
  })
})
