import { describe, expect, it } from 'vitest'
import { ProtocolError } from '../engine/errors.ts'
import { hasBody, requestFraming, type Framing } from './framing.ts'

describe('requestFraming', () => {
  // te = Transfer-Encoding, cl = Content-Length
  const accepted: { te?: string; cl?: number; want: Framing }[] = [
    { want: { kind: 'none' } },
    { cl: 0, want: { kind: 'length', length: 0 } },
    { cl: 12, want: { kind: 'length', length: 12 } },
    { te: 'chunked', want: { kind: 'chunked' } },
    { te: 'Chunked ', want: { kind: 'chunked' } },
  ]
  it.each(accepted)('accepts Transfer-Encoding $te with Content-Length $cl', ({ te, cl, want }) => {
    expect(requestFraming(1, te, cl)).toEqual(want)
  })

  const refused: { minor?: 0 | 1; te?: string; cl?: number; status: number }[] = [
    { te: 'chunked', cl: 5, status: 400 },
    { te: 'gzip', status: 400 },
    { te: '', status: 400 },
    { te: 'chunked, gzip', status: 400 },
    { te: 'chunked\xa0', status: 400 },
    { te: 'gzip, chunked', status: 501 },
    { minor: 0, te: 'chunked', status: 400 },
  ]
  it.each(refused)(
    'responds with $status to Transfer-Encoding $te with Content-Length $cl',
    ({ minor = 1, te, cl, status }) => {
      expect(() => requestFraming(minor, te, cl)).toThrow(expect.objectContaining({ name: ProtocolError.name, status }))
    },
  )
})

describe('hasBody', () => {
  it.each<[Framing, boolean]>([
    [{ kind: 'none' }, false],
    [{ kind: 'length', length: 0 }, false],
    [{ kind: 'length', length: 1 }, true],
    [{ kind: 'chunked' }, true],
  ])('reports %j as %s', (framing, expected) => {
    expect(hasBody(framing)).toBe(expected)
  })
})
