import { open } from 'node:fs/promises'
import { tempFolder } from '@fw/testing'
import { expect, it } from 'vitest'
import { readAt } from './read-at.ts'

// The system allocates a buffer's memory only when it is written.
it.each([100, 2 ** 31, 2 ** 32])('reads a short file into a buffer of %i bytes', async (room) => {
  await using folder = await tempFolder({ 'a.txt': 'hello' })
  await using file = await open(folder.join('a.txt'))
  const bytes = new Uint8Array(room)
  expect(await readAt(file.fd, bytes, 0, room, 1)).toBe(4)
  expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('ello\0')
})
