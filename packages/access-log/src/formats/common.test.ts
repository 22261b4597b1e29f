import { expect, it } from 'vitest'
import type { Entry, Parts } from '../entry/entry.ts'
import { formatCommon } from './common.ts'

const ALL: Parts = { logQuery: true, logClientIp: true, logBytes: true, logProtocol: true }
const entry: Entry = {
  method: 'GET',
  path: '/users',
  query: 'page=2',
  status: 200,
  durationNs: 12_000_000,
  bytes: 345,
  clientAddress: '127.0.0.1',
  protocol: 'HTTP/1.1',
  requestHeaders: [],
  responseHeaders: [],
  correlationId: undefined,
  trace: undefined,
  isSlow: false,
  isAborted: false,
}

it.each<[string, Partial<Entry>, Partial<Parts>, string]>([
  ['all parts', {}, {}, '127.0.0.1 - "GET /users?page=2 HTTP/1.1" 200 345 (12.00ms)'],
  ['no query', { query: '' }, {}, '127.0.0.1 - "GET /users HTTP/1.1" 200 345 (12.00ms)'],
  ['no address', { clientAddress: undefined }, {}, '- - "GET /users?page=2 HTTP/1.1" 200 345 (12.00ms)'],
  ['no bytes', {}, { logBytes: false }, '127.0.0.1 - "GET /users?page=2 HTTP/1.1" 200 - (12.00ms)'],
  ['no protocol', {}, { logProtocol: false }, '127.0.0.1 - "GET /users?page=2" 200 345 (12.00ms)'],
  ['both tags', { isSlow: true, isAborted: true }, {}, '[SLOW] [ABORTED] 127.0.0.1 - "GET'],
  ['an escaped path', { path: '/a"b' }, {}, String.raw`"GET /a\"b?page=2`],
])('formats an entry with %s', (_, changes, parts, expected) => {
  expect(formatCommon({ ...entry, ...changes }, { ...ALL, ...parts })).toContain(expected)
})
