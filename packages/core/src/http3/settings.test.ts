import { describe, expect, it } from 'vitest'
import { encodeSettings, readSettings } from './settings.ts'

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex')
}

describe('readSettings', () => {
  it.each([
    ['an empty payload', '', []],
    ['one setting', '0620', [[6, 32]]],
    [
      'several settings, known and unknown',
      '064064 0100 21402a',
      [
        [6, 100],
        [1, 0],
        [0x21, 42],
      ],
    ],
  ])('reads %s', (_what, hex, settings) => {
    expect([...readSettings(bytes(hex))]).toEqual(settings)
  })

  it.each([
    ['a setting without a value', '06', 0x106],
    ['a truncated value', '0640', 0x106],
    ['a repeated setting', '06010601', 0x109],
    ['a repeated unknown setting', '21002100', 0x109],
    ['a reserved HTTP/2 identifier', '0000', 0x109],
    ['HTTP/2 ENABLE_PUSH', '0200', 0x109],
    ['HTTP/2 INITIAL_WINDOW_SIZE', '0401', 0x109],
  ])('rejects %s', (_what, hex, code) => {
    expect(() => readSettings(bytes(hex))).toThrow(expect.objectContaining({ code, scope: 'connection' }))
  })

  it('reads the frames that encodeSettings returns', () => {
    const settings: [number, number][] = [
      [6, 16_384],
      [1, 0],
      [0x2b_60_37_42, 1],
    ]
    const frame = encodeSettings(settings)
    expect(frame[0]).toBe(4)
    expect(frame[1]).toBe(frame.length - 2)
    expect([...readSettings(frame.subarray(2))]).toEqual(settings)
  })
})
