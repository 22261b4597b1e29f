import { describe, expect, it } from 'vitest'
import { sealedLength, Sealer } from './seal.ts'

const NAME = '__Host-session'
const content = { createdAtMs: 1, usedAtMs: 2 ** 48 - 1, json: '{"text":"é\u{1f600}"}' }

describe('Sealer', () => {
  const sealer = new Sealer(['one', 'two'])

  it('opens a value that it has sealed', () => {
    expect(sealer.open(NAME, sealer.seal(NAME, content))).toEqual(content)
  })

  it('opens values sealed with any secret, and seals with the first secret', () => {
    const old = new Sealer(['two']).seal(NAME, content)
    expect(sealer.open(NAME, old)).toEqual(content)
    expect(new Sealer(['one']).open(NAME, sealer.seal(NAME, content))).toEqual(content)
    expect(new Sealer(['two']).open(NAME, sealer.seal(NAME, content))).toBeNull()
  })

  it('refuses a value in which any byte differs', () => {
    const sealed = Buffer.from(sealer.seal(NAME, content), 'base64url')
    for (let at = 0; at < sealed.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(sealed)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        expect(sealer.open(NAME, changed.toString('base64url'))).toBeNull()
      }
    }
  })

  it('refuses every prefix of a value', () => {
    const sealed = Buffer.from(sealer.seal(NAME, content), 'base64url')
    for (let length = 0; length < sealed.length; length++) {
      expect(sealer.open(NAME, sealed.toString('base64url', 0, length))).toBeNull()
    }
  })

  it('refuses a value that was sealed for a different cookie', () => {
    expect(sealer.open('__Host-other', sealer.seal(NAME, content))).toBeNull()
  })

  it('hides the data', () => {
    const sealed = Buffer.from(sealer.seal(NAME, { ...content, json: 'plain text' }), 'base64url')
    expect(sealed.includes('plain')).toBe(false)
  })
})

describe('sealedLength()', () => {
  it('is the length of the value', () => {
    const sealer = new Sealer(['one'])
    for (let bytes = 0; bytes < 10; bytes++) {
      expect(sealer.seal(NAME, { ...content, json: 'x'.repeat(bytes) })).toHaveLength(sealedLength(bytes))
    }
  })
})
