import { describe, expect, it } from 'vitest'
import type { Entry, Parts } from '../entry/entry.ts'
import { formatCombined } from './combined.ts'
import { formatCommon } from './common.ts'
import { entryFields } from './fields.ts'
import { formatJson } from './json.ts'

const ALL: Parts = { logQuery: true, logClientIp: true, logBytes: true, logProtocol: true }
const NONE: Parts = { logQuery: false, logClientIp: false, logBytes: false, logProtocol: false }

const entry: Entry = {
  method: 'GET',
  path: '/users',
  query: 'page=2',
  status: 200,
  durationNs: 12_000_000,
  bytes: 1536,
  clientAddress: '127.0.0.1',
  protocol: 'HTTP/1.1',
  requestHeaders: [],
  responseHeaders: [],
  correlationId: undefined,
  trace: undefined,
  isSlow: false,
  isAborted: false,
}
/** An entry without its optional parts. */
const bare: Entry = { ...entry, query: '', clientAddress: undefined }
const captured: Entry = {
  ...entry,
  requestHeaders: [
    { name: 'User-Agent', value: 'x] [y: z' },
    { name: 'x-empty', value: '' },
  ],
  responseHeaders: [{ name: 'x-cache', value: 'HIT' }],
}
const unlucky: Entry = { ...entry, isSlow: true, isAborted: true, status: 499 }
const unknown: Entry = { ...bare, method: '-', path: '-', status: 599, bytes: 0, protocol: '-' }

describe('formatCombined', () => {
  it.each([
    ['everything', entry, ALL, 'GET /users?page=2 200 OK 12.00ms - 127.0.0.1 (1.5 KB) [HTTP/1.1]'],
    ['no part that is turned off', bare, NONE, 'GET /users 200 OK 12.00ms'],
    [
      'captured headers',
      captured,
      ALL,
      'GET /users?page=2 200 OK 12.00ms - 127.0.0.1 (1.5 KB) [HTTP/1.1] [User-Agent: x\\x5d \\x5by: z] [x-empty: ] [x-cache: HIT]',
    ],
    [
      'tags first',
      unlucky,
      ALL,
      '[SLOW] [ABORTED] GET /users?page=2 499 Client Closed Request 12.00ms - 127.0.0.1 (1.5 KB) [HTTP/1.1]',
    ],
    ['a dash for each unknown part', unknown, ALL, '- - 599 - 12.00ms - - (0 B) [-]'],
  ])('writes %s', (_, given, parts, text) => {
    expect(formatCombined(given, parts)).toBe(text)
  })
})

describe('formatCommon', () => {
  it.each([
    ['everything', entry, ALL, '127.0.0.1 - "GET /users?page=2 HTTP/1.1" 200 1536 (12.00ms)'],
    ['a dash for each field that is turned off', bare, NONE, '- - "GET /users" 200 - (12.00ms)'],
    ['no captured headers', captured, ALL, '127.0.0.1 - "GET /users?page=2 HTTP/1.1" 200 1536 (12.00ms)'],
    ['tags first', unlucky, ALL, '[SLOW] [ABORTED] 127.0.0.1 - "GET /users?page=2 HTTP/1.1" 499 1536 (12.00ms)'],
  ])('writes %s', (_, given, parts, text) => {
    expect(formatCommon(given, parts)).toBe(text)
  })
})

describe('formatJson', () => {
  const SIX = '"method":"GET","path":"/users","status":200,"phrase":"OK","duration_ns":12000000,"bytes":1536'
  it.each([
    ['everything', entry, ALL, `{${SIX},"query":"page=2","client_ip":"127.0.0.1","protocol":"HTTP/1.1"}`],
    ['the same six keys in every case, including the size', bare, NONE, `{${SIX}}`],
    [
      'captured request headers and response headers separately',
      { ...captured, correlationId: 'a-1' },
      ALL,
      `{${SIX},"query":"page=2","client_ip":"127.0.0.1","protocol":"HTTP/1.1","request_headers":{"User-Agent":"x] [y: z","x-empty":""},"response_headers":{"x-cache":"HIT"},"correlation_id":"a-1"}`,
    ],
    [
      'tags last, and an unknown phrase as an empty string',
      { ...bare, status: 599, isSlow: true, isAborted: true },
      NONE,
      `{${SIX.replace('200,"phrase":"OK"', '599,"phrase":""')},"slow":true,"aborted":true}`,
    ],
  ])('writes %s', (_, given, parts, text) => {
    expect(formatJson(given, parts)).toBe(text)
    expect(JSON.stringify(entryFields(given, parts))).toBe(text)
  })
})
