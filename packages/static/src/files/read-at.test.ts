import { open } from 'node:fs/promises'
import { tempFolder } from '@fw/testing'
import { expect, it } from 'vitest'
import { readAt } from './read-at.ts'

// Memory that nobody writes to is not taken from the system.
it.each([100, 2 ** 31, 2 ** 32])('reads what there is into room for %i bytes', async (room) => {
  await using folder = await tempFolder({ 'a.txt': 'hello' })
  await using file = await open(folder.join('a.txt'))
  const bytes = new Uint8Array(room)
  expect(await readAt(file.fd, bytes, 0, room, 1)).toBe(4)
  expect(Buffer.from(bytes.subarray(0, 5)).toString()).toBe('ello\0')
})
