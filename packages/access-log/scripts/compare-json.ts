// Compares the CPU time of Json entries written by hand, by a compiled serializer and by JSON.stringify. Run
// it with `node scripts/compare-json.ts`.
import { strict as assert } from 'node:assert'
import fastJsonStringify from 'fast-json-stringify'
import type { Entry } from '../src/entry/entry.ts'
import { formatJson } from '../src/formats/json.ts'
import { phraseOf } from '../src/formats/units.ts'

const PARTS = { logQuery: true, logClientIp: true, logBytes: true, logProtocol: true }

const ENTRY: Entry = {
  method: 'GET',
  path: '/users/7',
  query: 'page=2',
  status: 200,
  durationNs: 1_234_567,
  bytes: 345,
  clientAddress: '127.0.0.1',
  protocol: 'HTTP/1.1',
  requestHeaders: [{ name: 'user-agent', value: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' }],
  responseHeaders: [],
  correlationId: 'abc-123',
  trace: undefined,
  isSlow: false,
  isAborted: false,
}

const TEXT = { type: 'string' } as const
const NUMBER = { type: 'integer' } as const
const compiled = fastJsonStringify({
  type: 'object',
  properties: {
    method: TEXT,
    path: TEXT,
    status: NUMBER,
    phrase: TEXT,
    duration_ns: NUMBER,
    bytes: NUMBER,
    query: TEXT,
    client_ip: TEXT,
    protocol: TEXT,
    request_headers: { type: 'object', additionalProperties: TEXT },
    correlation_id: TEXT,
  },
  required: ['method', 'path', 'status', 'phrase', 'duration_ns', 'bytes'],
})

/** Matches characters that JSON allows but terminals and line-based tools do not. Neither serializer escapes them. */
const UNSAFE = /[\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/

function objectOf(entry: Entry): object {
  const { method, path, status, bytes, protocol, durationNs, query, clientAddress, correlationId } = entry
  const headers = Object.fromEntries(entry.requestHeaders.map(({ name, value }) => [name, value]))
  const head = { method, path, status, phrase: phraseOf(status), duration_ns: durationNs, bytes, query }
  return { ...head, client_ip: clientAddress, protocol, request_headers: headers, correlation_id: correlationId }
}

function safe(json: string): string {
  assert(!UNSAFE.test(json))
  return json
}

const CANDIDATES: Readonly<Record<string, (entry: Entry) => string>> = {
  'by hand': (entry) => formatJson(entry, PARTS),
  'fast-json-stringify': (entry) => safe(compiled(objectOf(entry))),
  'JSON.stringify': (entry) => safe(JSON.stringify(objectOf(entry))),
}

const ENTRIES = 200_000
const ROUNDS = 15
const WARM_UP = 3

const results = new Map<string, number[]>()
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, write] of Object.entries(CANDIDATES)) {
    assert.equal(write(ENTRY), formatJson(ENTRY, PARTS))
    const before = process.cpuUsage()
    for (let i = 0; i < ENTRIES; i++) write({ ...ENTRY, path: `/users/${i}`, durationNs: i })
    const { user, system } = process.cpuUsage(before)
    const times = results.get(name) ?? []
    results.set(name, times)
    if (round >= WARM_UP) times.push(((user + system) * 1000) / ENTRIES)
  }
}
for (const [name, times] of results) {
  const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN
  console.log(`${name.padEnd(20)} ${Math.round(median)} ns`)
}
