import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { ConnectionError, ErrorCode } from '../errors.ts'
import { Preface } from './preface.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

describe('Preface', () => {
  it('returns the bytes after the preface, wherever it is split', () => {
    for (const slices of everySplit(PREFACE)) {
      const preface = new Preface()
      const results = slices.filter((slice) => slice.length > 0).map((slice) => preface.take(Buffer.from(slice)))
      expect(results.pop()).toEqual(Buffer.alloc(0))
      expect(results.every((result) => result === undefined)).toBe(true)
    }
    expect(new Preface().take(Buffer.concat([PREFACE, Buffer.from('frame')]))).toEqual(Buffer.from('frame'))
  })

  it.each(['GET / HTTP/1.1\r\n', 'PRI * HTTP/2.1', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\rx'])('rejects %j', (text) => {
    const error = new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'Invalid HTTP/2 preface')
    expect(() => new Preface().take(Buffer.from(text))).toThrow(error)
  })
})
