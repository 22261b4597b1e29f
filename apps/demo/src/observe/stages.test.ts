import { describe, expect, it } from 'vitest'
import { type RequestTimes, waterfall } from './stages.ts'

const BASE: RequestTimes = {
  isQuic: false,
  received: 100,
  parsed: 100.02,
  routed: 100.03,
  started: 100.04,
  answered: 100.5,
  finished: 100.51,
  flushed: 100.6,
  around: [{ name: 'accessLog', from: 100.04, to: 100.49 }],
  handler: { name: 'handler', from: 100.1, to: 100.48 },
}
const names = (times: RequestTimes): string[] => waterfall(times).stages.map(({ name }) => name)

describe('the waterfall of a request', () => {
  it('begins at the first received byte on an open connection', () => {
    const { stages, totalUs, tookUs } = waterfall(BASE)
    expect(stages).toEqual([
      { name: 'parse', kind: 'fw', fromUs: 0, toUs: 20 },
      { name: 'route', kind: 'fw', fromUs: 20, toUs: 30 },
      { name: 'accessLog', kind: 'around', fromUs: 40, toUs: 490 },
      { name: 'handler', kind: 'app', fromUs: 100, toUs: 480 },
      { name: 'answer', kind: 'fw', fromUs: 480, toUs: 500 },
      { name: 'write', kind: 'net', fromUs: 500, toUs: 600 },
    ])
    expect({ totalUs, tookUs }).toEqual({ totalUs: 600, tookUs: 500 })
  })

  it('begins with the handshake on a new connection', () => {
    const times = { ...BASE, accepted: 98, handshakeMs: 1.5, tlsVersion: 'TLSv1.3' }
    expect(waterfall(times).stages.slice(0, 2)).toEqual([
      { name: 'TLS 1.3', kind: 'net', fromUs: 0, toUs: 1500 },
      { name: 'wait', kind: 'net', fromUs: 1500, toUs: 2000 },
    ])
    expect(names({ ...times, isQuic: true })[0]).toBe('QUIC, TLS 1.3')
  })

  it('omits the connection setup if the client sent its request much later', () => {
    expect(names({ ...BASE, accepted: 90, handshakeMs: 1 })[0]).toBe('parse')
  })

  it('shows only the stages that were reached', () => {
    const times = { ...BASE, parsed: undefined, routed: undefined, answered: undefined, flushed: undefined, around: [] }
    expect(names({ ...times, handler: undefined })).toEqual(['answer'])
  })
})
