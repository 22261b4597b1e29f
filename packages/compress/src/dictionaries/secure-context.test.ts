import { expect, it } from 'vitest'
import { isSecureContext } from './secure-context.ts'

it.each([
  ['https', 'example.org', true],
  ['http', 'example.org', false],
  ['http', 'localhost', true],
  ['http', 'LOCALHOST:8080', true],
  ['http', 'app.localhost:8080', true],
  ['http', '127.0.0.1:80', true],
  ['http', '127.1.2.3', true],
  ['http', '[::1]:8080', true],
  ['http', 'localhost.example.org', false],
  ['http', 'notlocalhost', false],
  ['http', '127.0.0.1.example.org', false],
  ['http', '10.0.0.1', false],
  ['http', '', false],
] as const)('reports whether %s://%s is a secure context: %s', (scheme, authority, expected) => {
  const ctx = { scheme, exchange: { authority } } as Parameters<typeof isSecureContext>[0]
  expect(isSecureContext(ctx)).toBe(expected)
})
