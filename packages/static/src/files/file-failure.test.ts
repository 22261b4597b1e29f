import { expect, it } from 'vitest'
import { fileFailure } from './file-failure.ts'

it.each([
  ['ENOENT', 'missing'],
  ['ENAMETOOLONG', 'missing'],
  ['ELOOP', 'missing'],
  ['EINVAL', 'missing'],
  ['EILSEQ', 'missing'],
  ['ESTALE', 'missing'],
  ['EACCES', 'forbidden'],
  ['EMFILE', 'exhausted'],
  ['EIO', undefined],
  ['ENOMEM', undefined],
])('maps %s to %s', (code, failure) => {
  expect(fileFailure(Object.assign(new Error('failed'), { code }))).toBe(failure)
})

it.each([[new Error('no code')], [{ code: 'ENOENT' }], [undefined]])('returns undefined for %s', (error) => {
  expect(fileFailure(error)).toBeUndefined()
})
