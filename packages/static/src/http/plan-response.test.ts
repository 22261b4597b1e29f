import { expect, it } from 'vitest'
import { planResponse, type PlannedResponse } from './plan-response.ts'

const file = { etag: '"v1"', lastModified: 784_111_777, size: 10 }
const OLD = 'Sun, 06 Nov 1994 08:49:36 GMT'

it.each<[string, string, Record<string, string>, PlannedResponse]>([
  ['a plain GET', 'GET', {}, { status: 200 }],
  ['a range', 'GET', { range: 'bytes=0-4' }, { status: 206, range: { start: 0, end: 4 } }],
  ['an unsatisfiable range', 'GET', { range: 'bytes=10-' }, { status: 416 }],
  ['several ranges', 'GET', { range: 'bytes=0-1,4-5' }, { status: 200 }],
  ['a range of HEAD', 'HEAD', { range: 'bytes=0-4' }, { status: 200 }],
  ['an unsatisfiable range on HEAD', 'HEAD', { range: 'bytes=10-' }, { status: 200 }],
  [
    'If-Range that matches',
    'GET',
    { range: 'bytes=0-4', 'if-range': '"v1"' },
    { status: 206, range: { start: 0, end: 4 } },
  ],
  ['If-Range that does not match', 'GET', { range: 'bytes=0-4', 'if-range': '"v0"' }, { status: 200 }],
  [
    'If-Range that does not match match, with an unsatisfiable range',
    'GET',
    { range: 'bytes=99-', 'if-range': '"v0"' },
    { status: 200 },
  ],
  ['If-Range without Range', 'GET', { 'if-range': '"v0"' }, { status: 200 }],
  [
    'a range request for an unchanged file (304, not 206)',
    'GET',
    { range: 'bytes=0-4', 'if-none-match': '"v1"' },
    { status: 304 },
  ],
  [
    'an unsatisfiable range for an unchanged file (304, not 416)',
    'GET',
    { range: 'bytes=99-', 'if-none-match': '"v1"' },
    { status: 304 },
  ],
  ['a range with a failed If-Match (412, not 206)', 'GET', { range: 'bytes=0-4', 'if-match': '"v0"' }, { status: 412 }],
  [
    'an unsatisfiable range with a failed If-Unmodified-Since (412, not 416)',
    'GET',
    { range: 'bytes=99-', 'if-unmodified-since': OLD },
    { status: 412 },
  ],
])('plans the response to %s', (_, method, fields, response) => {
  expect(planResponse(method, { get: (name) => fields[name] ?? null }, file)).toEqual(response)
})
