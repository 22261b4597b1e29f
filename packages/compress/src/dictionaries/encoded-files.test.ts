import { expect, it } from 'vitest'
import { EncodedFiles } from './encoded-files.ts'

it('runs a job once for requests at the same time, and keeps its result', async () => {
  const files = new EncodedFiles(10_000)
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  let count = 0
  const job = (): Promise<Uint8Array> => {
    count++
    return promise
  }
  const results = [files.run('a', job), files.run('a', job), files.run('b', job)]
  expect([count, files.get('a')]).toEqual([2, undefined])
  resolve(Buffer.from('encoded'))
  expect((await Promise.all(results)).map(String)).toEqual(['encoded', 'encoded', 'encoded'])
  expect(String(files.get('a'))).toBe('encoded')
})

it('runs a job again after it has failed', async () => {
  const files = new EncodedFiles(10_000)
  await expect(files.run('a', () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory')
  expect(await files.run('a', () => Promise.resolve(Buffer.from('encoded')))).toEqual(Buffer.from('encoded'))
})
