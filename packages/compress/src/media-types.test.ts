import { expect, it } from 'vitest'
import { isCompressible, mediaTypeOf } from './media-types.ts'

it.each([
  ['text/html; charset=utf-8', true],
  ['Text/Plain', true],
  ['application/json', true],
  ['application/problem+json', true],
  ['image/svg+xml', true],
  ['application/wasm', true],
  ['font/ttf', true],
  ['text/event-stream', false],
  ['image/png', false],
  ['font/woff2', false],
  ['video/mp4', false],
  ['application/zip', false],
  ['application/octet-stream', false],
  ['', false],
])('reports whether a body of type %j shrinks: %s', (contentType, expected) => {
  expect(isCompressible(mediaTypeOf(contentType))).toBe(expected)
})
