import { expect, it } from 'vitest'
import { represent } from './representation.ts'

const state = (mtimeNs: bigint) => ({ dev: 1n, ino: 2n, size: 10n, mtimeNs, ctimeNs: 0n })
const both = { etag: true, lastModified: true }

it.each([
  [1_706_933_106_999_999_999n, 1_706_933_106],
  [0n, 0],
  [999_999_999n, 0],
  [-1n, -1],
  [-1_000_000_000n, -1],
  [-1_000_000_001n, -2],
])('rounds %i ns down to %i s', (mtimeNs, seconds) => {
  expect(represent('/a.txt', 'identity', state(mtimeNs), both).lastModified).toBe(seconds)
})

it('derives the type from the name for every content coding', () => {
  expect(represent('/app.js', 'br', state(0n), both)).toMatchObject({
    size: 10,
    contentType: 'text/javascript; charset=utf-8',
    coding: 'br',
  })
})

it('contains only the requested validators', () => {
  expect(represent('/a', 'identity', state(0n), { etag: false, lastModified: false })).toMatchObject({
    etag: undefined,
    lastModified: undefined,
  })
})
