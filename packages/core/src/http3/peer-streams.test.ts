import { everySplit } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { PeerStreams } from './peer-streams.ts'

const CONTROL = '00'
const SETTINGS = '0400'

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

/** Opens the client's streams 2, 6, 10, … in order, each with the given bytes. */
function open(...streams: string[]): PeerStreams {
  const peer = new PeerStreams()
  for (const [index, hex] of streams.entries()) peer.push(2 + index * 4, bytes(hex))
  return peer
}

describe('PeerStreams', () => {
  it.each([
    ['all three types and unknown types', [CONTROL + SETTINGS, '02', '03', '21aabbcc', '4021', '21']],
    ['settings and the frames that can follow them', [CONTROL + '0403064064 0d0105 0d0106 070108 070104 2102aabb']],
    ['an encoder stream that sets the capacity to 0', ['022020']],
    ['a decoder stream that cancels streams', ['03 44 7f8001 40']],
  ])('accepts %s', (_what, streams) => {
    expect(() => open(...streams)).not.toThrow()
  })

  it.each([
    ['a push stream', ['01'], 0x103],
    ['a second control stream', [CONTROL, CONTROL], 0x103],
    ['a second encoder stream', ['02', '02'], 0x103],
    ['a second decoder stream', ['03', '03'], 0x103],
    ['a control stream that begins with GOAWAY', [CONTROL + '070100'], 0x10a],
    ['a control stream that begins with an unknown frame', [CONTROL + '2100'], 0x10a],
    ['a control stream that begins with DATA', [CONTROL + '0000'], 0x10a],
    ['settings twice', [CONTROL + SETTINGS + SETTINGS], 0x105],
    ['truncated settings', [CONTROL + '040106'], 0x106],
    ['an HTTP/2 setting', [CONTROL + '04020200'], 0x109],
    ['DATA on the control stream', [CONTROL + SETTINGS + '0000'], 0x105],
    ['HEADERS on the control stream', [CONTROL + SETTINGS + '0100'], 0x105],
    ['PUSH_PROMISE on the control stream', [CONTROL + SETTINGS + '0500'], 0x105],
    ['HTTP/2 PING on the control stream', [CONTROL + SETTINGS + '0600'], 0x105],
    ['MAX_PUSH_ID that decreases', [CONTROL + SETTINGS + '0d0105 0d0104'], 0x108],
    ['an empty MAX_PUSH_ID', [CONTROL + SETTINGS + '0d00'], 0x106],
    ['MAX_PUSH_ID with extra bytes', [CONTROL + SETTINGS + '0d020505'], 0x106],
    ['GOAWAY with an ID that increases', [CONTROL + SETTINGS + '070104 070108'], 0x108],
    ['CANCEL_PUSH without a push', [CONTROL + SETTINGS + '030100'], 0x108],
    ['a one-megabyte control frame', [CONTROL + '0480100000'], 0x107],
    ['an insertion into a dynamic table', ['02c00161'], 0x201],
    ['a capacity above 0', ['023f01'], 0x201],
    ['an acknowledgment of a section', ['0380'], 0x202],
    ['an acknowledgment of insertions', ['0301'], 0x202],
  ])('rejects %s', (_what, streams, code) => {
    expect(() => open(...streams)).toThrow(expect.objectContaining({ code, scope: 'connection' }))
  })

  it('reads the same frames wherever the bytes are split', () => {
    const valid = bytes('4000 0403064064 2105aaaaaaaaaa 0d0105')
    const invalid = Buffer.concat([valid, bytes(SETTINGS)])
    for (const slices of everySplit(valid)) {
      const peer = new PeerStreams()
      for (const slice of slices) peer.push(2, slice)
      expect(() => peer.push(2, bytes(SETTINGS))).toThrow('a second SETTINGS frame')
    }
    for (const slices of everySplit(invalid)) {
      const peer = new PeerStreams()
      expect(() => slices.forEach((slice) => peer.push(2, slice))).toThrow('a second SETTINGS frame')
    }
  })

  it.each([
    ['control', CONTROL + SETTINGS],
    ['encoder', '02'],
    ['decoder', '03'],
  ])('rejects the end of the %s stream', (_what, hex) => {
    expect(() => open(hex).end(2)).toThrow(expect.objectContaining({ code: 0x104, scope: 'connection' }))
  })

  it.each([
    ['of unknown type', '21aa'],
    ['with an incomplete type', '40'],
    ['without bytes', ''],
  ])('accepts the end of a stream %s', (_what, hex) => {
    expect(() => open(hex).end(2)).not.toThrow()
  })
})
