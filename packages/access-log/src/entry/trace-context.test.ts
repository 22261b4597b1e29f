import { expect, it } from 'vitest'
import { fakeHeaders } from '../../test/fake-context.ts'
import { traceContextOf } from './trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

it.each([
  ['version 00', `00-${TRACE}-${PARENT}-01`],
  ['unknown flags', `00-${TRACE}-${PARENT}-ff`],
  ['a later version', `01-${TRACE}-${PARENT}-01`],
  ['a later version with additional text', `cc-${TRACE}-${PARENT}-01-what-follows`],
])('reads %s', (_, traceparent) => {
  expect(traceContextOf(fakeHeaders({ traceparent }))).toEqual({ traceId: TRACE, parentId: PARENT })
})

it.each<[string, string | readonly string[]]>([
  ['an empty field', ''],
  ['version ff', `ff-${TRACE}-${PARENT}-01`],
  ['version 00 with additional text', `00-${TRACE}-${PARENT}-01-x`],
  ['a later version with additional text but no hyphen', `01-${TRACE}-${PARENT}-01x`],
  ['upper case', `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ['a trace ID of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`],
  ['a parent ID of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['a short trace ID', `00-${TRACE.slice(1)}-${PARENT}-01`],
  ['a short parent ID', `00-${TRACE}-${PARENT.slice(1)}-01`],
  ['no flags', `00-${TRACE}-${PARENT}`],
  ['characters that are not hexadecimal', `00-${TRACE.replace('0a', 'g]')}-${PARENT}-01`],
  ['several fields', [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`]],
])('does not read %s', (_, traceparent) => {
  expect(traceContextOf(fakeHeaders({ traceparent }))).toBeUndefined()
})

it('returns undefined if the field is absent', () => {
  expect(traceContextOf(fakeHeaders())).toBeUndefined()
})
