import type { BodyEncoder } from '@fw/types'
import { expect, it } from 'vitest'
import { StreamLimit } from './stream-limit.ts'

const ENCODER: BodyEncoder = { write: () => {}, flush: () => {}, end: () => {}, cancel: () => {} }

it.each<[string, (encoder: BodyEncoder) => void | Promise<void>]>([
  ['has ended', (encoder) => encoder.end(() => {})],
  ['is canceled', (encoder) => encoder.cancel()],
])('counts an encoder until it %s', async (_, close) => {
  const limit = new StreamLimit(30)
  const encoders = [10, 20].map((bytes) => limit.count(ENCODER, bytes))
  expect([limit.bytes, limit.fits(1), limit.fits(0)]).toEqual([30, false, true])
  for (const encoder of encoders) {
    await close(encoder)
    encoder.cancel()
  }
  expect([limit.bytes, limit.fits(30), limit.fits(31)]).toEqual([0, true, false])
})

it('counts an encoder that fails until it is canceled', async () => {
  const limit = new StreamLimit(10)
  const encoder = limit.count({ ...ENCODER, end: () => Promise.reject(new Error('no memory')) }, 10)
  await expect(encoder.end(() => {})).rejects.toThrow('no memory')
  expect(limit.bytes).toBe(10)
  encoder.cancel()
  expect(limit.bytes).toBe(0)
})
