import { expect, it, vi } from 'vitest'
import { fakeContext } from '../../test/fake-context.ts'
import { correlationId, requestIdGenerator, requestIdOf } from './request-id.ts'

it.each(['abc-123', 'req#1;{a}~|<b>', 'a'.repeat(128)])('accepts %j as a correlation ID', (value) => {
  expect(correlationId(value)).toBe(value)
})

it.each([null, '', 'a b', 'a] [admin', 'a"b', 'a\\b', 'a\n', '\xe9', 'a'.repeat(129)])('ignores %j', (value) => {
  expect(correlationId(value)).toBeUndefined()
})

function idOf(generateRequestId: Parameters<typeof requestIdGenerator>[0], received?: string): string | undefined {
  const { ctx } = fakeContext({ headers: received === undefined ? {} : { 'x-id': received } })
  const options = { correlationHeader: 'x-id', generateRequestId: requestIdGenerator(generateRequestId) }
  const id = requestIdOf(ctx, options)
  expect(requestIdOf(ctx, options)).toBe(id)
  return id
}

it('generates no ID by default', () => {
  expect(idOf(undefined)).toBeUndefined()
  expect(idOf(false, 'not valid')).toBeUndefined()
})

it('generates 16 hexadecimal digits, different for each request', () => {
  const ids = Array.from({ length: 2000 }, () => idOf(true))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(new Set(ids).size).toBe(2000)
})

it('keeps a valid request ID and replaces an invalid one', () => {
  expect(idOf(() => 'made', 'received')).toBe('received')
  expect(idOf(() => 'made', 'not valid')).toBe('made')
})

it.each<[string, () => unknown]>([
  ['throws', () => JSON.parse('{')],
  ['returns an invalid ID', () => 'a b'],
  ['returns a promise', async () => 'a'],
])('uses a random ID and warns if the function %s', (_what, generate) => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  vi.useFakeTimers({ toFake: ['performance'] })
  vi.advanceTimersByTime(1_000_000)
  expect(idOf(generate as () => string)).toMatch(/^[0-9a-f]{16}$/)
  vi.useRealTimers()
  warn.mockRestore()
})
