import { expect, it } from 'vitest'
import type { FaultMessage, RequestMessage } from '../src/live/messages.ts'
import { faultWords } from './fault-words.ts'

const seen = (changes: Partial<FaultMessage>): FaultMessage => ({
  fault: 'throw',
  status: 500,
  reason: 'Internal Server Error',
  tookMs: 4,
  sentBytes: 0,
  showsStack: false,
  isClosed: false,
  ...changes,
})
const text = (message: FaultMessage, request?: RequestMessage): string => {
  const { seen: strong, rest } = faultWords(message, request)
  return `${strong} ${rest}`
}
const logged = {
  method: 'GET',
  path: '/x',
  logs: [
    { level: 'info', text: 'a', where: 'routes.ts:2' },
    { level: 'error', text: 'GET /x 500', where: 'HTTP/1.1' },
    { level: 'error', text: 'GET /x failed: Error: Oh no\n at x', where: 'routes.ts:3' },
  ],
} as unknown as RequestMessage

it('states what the client saw and what the log contains', () => {
  expect(text(seen({}), logged)).toBe(
    '500 Internal Server Error and no stack trace. The log has 3 lines, among them: Error: Oh no',
  )
  expect(text(seen({ showsStack: true }))).toContain('and the error text. The log has the request.')
})

it('shortens a long log line', () => {
  const long = { logs: [{ level: 'info', text: `GET /${'x'.repeat(80)}`, where: 'HTTP/1.1' }] }
  expect(text(seen({}), long as unknown as RequestMessage)).toMatch(/ The log has one line: GET \/x{54}…$/)
})

it.each([
  [
    seen({ fault: 'sleep', status: 503, reason: 'Service Unavailable', tookMs: 1003 }),
    '503 Service Unavailable after 1.0 s : timeoutMs',
  ],
  [
    seen({ fault: 'large', status: 413, reason: 'Content Too Large', sentBytes: 2_000_000 }),
    'The rest of 2,000,000 bytes was discarded',
  ],
  [seen({ fault: 'garbled', status: 400, reason: 'Bad Request' }), '400 Bad Request and the connection closed'],
  [
    seen({ fault: 'drip', status: 408, reason: 'Request Timeout', tookMs: 15_002, sentBytes: 15 }),
    'after 15 s and 15 bytes',
  ],
  [seen({ fault: 'leave', status: 0, reason: '' }), 'You left.'],
])('describes %j', (message, part) => expect(text(message)).toContain(part))
