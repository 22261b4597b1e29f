import { expect, it } from 'vitest'
import { serve } from '../../test/serve.ts'
import { refuse } from './refuse.ts'
import type { FileFailure } from '../files/file-failure.ts'
import { fileFailure } from '../files/file-failure.ts'

it.each<[FileFailure, number, string | null, string[]]>([
  ['missing', 404, null, []],
  ['outside', 404, null, ['Cannot send /srv/x: a link leads out of the directory, or must not be followed']],
  ['forbidden', 404, null, ['Cannot open /srv/x: permission denied']],
  ['exhausted', 503, '1', []],
])('responds to the failure "%s" with %i', async (failure, status, retryAfter, warnings) => {
  const warned: string[] = []
  await using server = await serve((router) =>
    router.get('/', (ctx) => refuse(ctx, failure, '/srv/x', (message) => warned.push(message))),
  )
  const response = await server.ask('/')
  expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter])
  expect(response.text).not.toContain('/srv')
  expect(warned).toEqual(warnings)
})

it.each([
  ['ENOENT', 'missing'],
  ['ENOTDIR', 'missing'],
  ['ELOOP', 'missing'],
  ['ENAMETOOLONG', 'missing'],
  ['EACCES', 'forbidden'],
  ['EPERM', 'forbidden'],
  ['EMFILE', 'exhausted'],
  ['ENFILE', 'exhausted'],
  ['EIO', undefined],
])('maps %s to %s', (code, failure) => {
  expect(fileFailure(Object.assign(new Error('x'), { code }))).toBe(failure)
})

it('treats an error without a code as unexpected', () => {
  expect(fileFailure(new Error('ENOENT'))).toBeUndefined()
  expect(fileFailure({ code: 'ENOENT' })).toBeUndefined()
})
