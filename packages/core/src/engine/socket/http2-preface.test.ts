import { expect, it } from 'vitest'
import { HTTP2_PREFACE_BYTES, startsWithPreface } from './http2-preface.ts'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

it.each<[string, boolean | undefined]>([
  ['', undefined],
  ['P', undefined],
  [PREFACE.slice(0, -1), undefined],
  [PREFACE, true],
  [`${PREFACE}\0\0\0`, true],
  ['POST / HTTP/1.1', false],
  ['pri * HTTP/2.0', false],
  [`${PREFACE.slice(0, -1)}x`, false],
])('recognizes the preface in %j: %s', (received, expected) => {
  expect(startsWithPreface(Buffer.from(received))).toBe(expected)
})

it('counts the bytes of the preface', () => {
  expect(HTTP2_PREFACE_BYTES).toBe(24)
})
