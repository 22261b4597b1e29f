import { describe, expect, it } from 'vitest'
import { evaluatePreconditions, holdsIfRange, type PreconditionVerdict } from './preconditions.ts'

const MODIFIED = 784_111_777
const AT = 'Sun, 06 Nov 1994 08:49:37 GMT'
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT'
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT'
const known = { etag: '"v1"', lastModified: MODIFIED }

const headers = (fields: Record<string, string>) => ({ get: (name: string) => fields[name] ?? null })

describe('evaluatePreconditions', () => {
  it.each<[string, Record<string, string>, PreconditionVerdict]>([
    ['GET', {}, 'proceed'],
    ['GET', { 'if-none-match': '"v1"' }, 'not-modified'],
    ['HEAD', { 'if-none-match': '"v1"' }, 'not-modified'],
    ['PUT', { 'if-none-match': '"v1"' }, 'failed'],
    ['GET', { 'if-none-match': 'W/"v1"' }, 'not-modified'],
    ['GET', { 'if-none-match': '"v0", "v1"' }, 'not-modified'],
    ['GET', { 'if-none-match': '*' }, 'not-modified'],
    ['PUT', { 'if-none-match': '*' }, 'failed'],
    ['GET', { 'if-none-match': '*\u00a0' }, 'proceed'],
    ['GET', { 'if-none-match': '"v0"' }, 'proceed'],
    ['GET', { 'if-none-match': '' }, 'proceed'],
    ['GET', { 'if-modified-since': AT }, 'not-modified'],
    ['GET', { 'if-modified-since': AFTER }, 'not-modified'],
    ['GET', { 'if-modified-since': BEFORE }, 'proceed'],
    ['GET', { 'if-modified-since': 'banana' }, 'proceed'],
    ['PUT', { 'if-modified-since': AT }, 'proceed'],
    ['GET', { 'if-match': '"v1"' }, 'proceed'],
    ['GET', { 'if-match': '*' }, 'proceed'],
    ['GET', { 'if-match': '"v0"' }, 'failed'],
    ['GET', { 'if-match': 'W/"v1"' }, 'failed'],
    ['DELETE', { 'if-match': '"v0"' }, 'failed'],
    ['GET', { 'if-unmodified-since': AT }, 'proceed'],
    ['GET', { 'if-unmodified-since': BEFORE }, 'failed'],
    ['DELETE', { 'if-unmodified-since': BEFORE }, 'failed'],
    ['GET', { 'if-unmodified-since': 'banana' }, 'proceed'],
  ])('evaluates %s with %j to %s', (method, fields, verdict) => {
    expect(evaluatePreconditions(method, headers(fields), known)).toBe(verdict)
  })

  it.each<[string, Record<string, string>, PreconditionVerdict]>([
    ['If-None-Match outranks If-Modified-Since', { 'if-none-match': '"v0"', 'if-modified-since': AT }, 'proceed'],
    ['a matching tag outranks an old date', { 'if-none-match': '"v1"', 'if-modified-since': BEFORE }, 'not-modified'],
    ['If-Match outranks If-Unmodified-Since', { 'if-match': '"v1"', 'if-unmodified-since': BEFORE }, 'proceed'],
    ['a failed If-Match outranks If-None-Match', { 'if-match': '"v0"', 'if-none-match': '"v1"' }, 'failed'],
    ['a failed date outranks If-None-Match', { 'if-unmodified-since': BEFORE, 'if-none-match': '"v1"' }, 'failed'],
    ['If-None-Match follows an If-Match that holds', { 'if-match': '"v1"', 'if-none-match': '"v1"' }, 'not-modified'],
  ])('follows the order of RFC 9110 §13.2.2: %s', (_, fields, verdict) => {
    expect(evaluatePreconditions('GET', headers(fields), known)).toBe(verdict)
  })

  it.each<[Record<string, string>, PreconditionVerdict]>([
    [{ 'if-none-match': '"v1"' }, 'proceed'],
    [{ 'if-none-match': '*' }, 'not-modified'],
    [{ 'if-none-match': '"x"', 'if-modified-since': AT }, 'proceed'],
    [{ 'if-modified-since': AT }, 'proceed'],
    [{ 'if-unmodified-since': BEFORE }, 'proceed'],
    [{ 'if-match': '"v1"' }, 'failed'],
    [{ 'if-match': '*' }, 'proceed'],
  ])('evaluates %j without validators to %s', (fields, verdict) => {
    expect(evaluatePreconditions('GET', headers(fields), { etag: undefined, lastModified: undefined })).toBe(verdict)
  })
})

describe('holdsIfRange', () => {
  it.each<[string | null, boolean]>([
    [null, true],
    ['"v1"', true],
    ['W/"v1"', false],
    ['"v0"', false],
    ['"v0", "v1"', false],
    [AT, true],
    [BEFORE, false],
    [AFTER, false],
    ['garbage', false],
    ['', false],
  ])('evaluates %j to %s', (field, holds) => {
    expect(holdsIfRange(field, known)).toBe(holds)
  })

  it('rejects a weak tag, even an identical one', () => {
    expect(holdsIfRange('W/"v1"', { etag: 'W/"v1"', lastModified: undefined })).toBe(false)
  })
})
