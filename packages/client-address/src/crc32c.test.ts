import { describe, expect, it } from 'vitest'
import { crc32c } from './crc32c.ts'

describe('crc32c', () => {
  // RFC 3720 §B.4.
  it.each([
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 bytes of ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
    ['ascending bytes', Buffer.from(Array.from({ length: 32 }, (_, byte) => byte)), 0x46dd794e],
    ['descending bytes', Buffer.from(Array.from({ length: 32 }, (_, byte) => 31 - byte)), 0x113fdb5c],
    ['digits', Buffer.from('123456789'), 0xe3069283],
    ['no bytes', Buffer.alloc(0), 0],
  ])('returns the published checksum of %s', (_, bytes, checksum) => {
    expect(crc32c(bytes)).toBe(checksum)
  })

  it('continues the checksum of preceding bytes', () => {
    expect(crc32c(Buffer.from('56789'), crc32c(Buffer.from('1234')))).toBe(0xe3069283)
  })
})
