import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexed, indexedLiteral, integer, literal } from '../../../test/http2/hpack.ts'
import { HpackDecoder } from './decoder.ts'
import type { FieldSection } from './field.ts'
import { STATIC_TABLE } from './static-table.ts'

function decode(decoder: HpackDecoder, block: Buffer): FieldSection {
  return decoder.decode(block, 0, block.length)
}

/** Returns the name of the first field in a block, or the error's name. */
function nameOf(decoder: HpackDecoder, block: Buffer): string | undefined {
  try {
    return decode(decoder, block).fields[0]
  } catch (error) {
    return (error as Error).name
  }
}

function newDecoder(): HpackDecoder {
  return new HpackDecoder(4096, 16_384)
}

const BLOCK = Buffer.concat([indexed(2), indexed(62), literal('a', 'b')])

describe('a repeated block', () => {
  it('returns the same section object at any offset', () => {
    const decoder = newDecoder()
    decode(decoder, indexedLiteral('c', 'd'))
    const section = decode(decoder, BLOCK)
    expect(section.fields).toEqual([':method', 'GET', 'c', 'd', 'a', 'b'])
    expect(decode(decoder, BLOCK)).toBe(section)
    expect(decoder.decode(Buffer.concat([Buffer.of(0xff), BLOCK, Buffer.of(0xff)]), 1, BLOCK.length + 1)).toBe(section)
  })

  it('is found by its bytes, even if the buffer is reused', () => {
    const decoder = newDecoder()
    decode(decoder, indexedLiteral('c', 'd'))
    const wire = Buffer.from(BLOCK)
    const section = decode(decoder, wire)
    wire.fill(0x82)
    expect(decode(decoder, wire).fields).toEqual(Array.from(wire, () => [':method', 'GET']).flat())
    expect(decode(decoder, BLOCK)).toBe(section)
    expect(section.fields).toEqual([':method', 'GET', 'c', 'd', 'a', 'b'])
  })

  it('is found among three others that alternate with it', () => {
    const decoder = newDecoder()
    const blocks = [1, 2, 3, 4].map((n) => literal(':path', `/${n}`))
    const sections = blocks.map((block) => decode(decoder, block))
    for (const [i, block] of blocks.entries()) expect(decode(decoder, block)).toBe(sections[i])
  })

  it('is found again after any number of blocks that do not repeat', () => {
    const decoder = newDecoder()
    for (let n = 0; n < 100; n++) decode(decoder, literal(':path', `/${n}`))
    const sections = Array.from({ length: 20 }, () => decode(decoder, BLOCK.subarray(1 + 1)))
    expect(sections.at(-1)).toBe(sections.at(-2))
    expect(sections.at(-1)).toEqual(sections[0])
  })

  it('is not mistaken for a block with the same start or a longer block', () => {
    const decoder = newDecoder()
    decode(decoder, literal('a', 'b'))
    expect(decode(decoder, literal('a', 'c')).fields).toEqual(['a', 'c'])
    expect(decode(decoder, Buffer.concat([literal('a', 'b'), indexed(2)])).fields).toEqual(['a', 'b', ':method', 'GET'])
    expect(decode(decoder, Buffer.alloc(0)).fields).toEqual([])
  })

  it.each([
    ['an insertion', indexedLiteral('e', 'f'), 'e'],
    ['an insertion that evicts all others', indexedLiteral('e', 'f'.repeat(4063)), 'e'],
    ['an entry that is too large for the table', indexedLiteral('e', 'f'.repeat(5000)), 'HpackError'],
    ['a size update', integer(0, 5, 0x20), 'HpackError'],
  ])('is decoded again after %s', (_what, change, outcome) => {
    const decoder = newDecoder()
    decode(decoder, indexedLiteral('c', 'd'))
    expect(nameOf(decoder, indexed(62))).toBe('c')
    decode(decoder, change)
    expect(nameOf(decoder, indexed(62))).toBe(outcome)
  })

  it('returns the same fields as a decoder without a cache', () => {
    const text = fc.constantFrom('', 'a', 'b', 'cc', 'x'.repeat(1500))
    const step = fc.oneof(
      fc.record({ index: fc.integer({ min: 1, max: 66 }) }),
      fc.record({ name: text, value: text, inserts: fc.boolean() }),
      fc.record({ size: fc.constantFrom(0, 40, 2000, 4096) }),
    )
    const pool = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 })
    const order = fc.array(fc.nat(5), { maxLength: 60 })
    fc.assert(
      fc.property(pool, order, (steps, turns) => {
        const decoder = newDecoder()
        const model = new ListDecoder()
        for (const turn of turns) {
          const { block, fields } = model.next(steps[turn % steps.length] ?? [])
          expect(decode(decoder, block).fields).toEqual(fields)
        }
      }),
      { numRuns: 300 },
    )
  })
})

type Step = { index: number } | { name: string; value: string; inserts: boolean } | { size: number }

/** Models the dynamic table as a list, and creates blocks together with their fields. */
class ListDecoder {
  #table: (readonly [name: string, value: string])[] = []
  #maxBytes = 4096

  next(steps: readonly Step[]): { block: Buffer; fields: string[] } {
    const parts: Buffer[] = []
    const fields: string[] = []
    for (const step of steps) {
      if ('index' in step) {
        const field = [...STATIC_TABLE, ...this.#table][step.index - 1]
        if (field === undefined) continue
        parts.push(indexed(step.index))
        fields.push(...field)
      } else if ('name' in step) {
        parts.push((step.inserts ? indexedLiteral : literal)(step.name, step.value))
        fields.push(step.name, step.value)
        if (step.inserts) this.#table.unshift([step.name, step.value])
      } else if (parts.length === 0) {
        parts.push(integer(step.size, 5, 0x20))
        this.#maxBytes = step.size
      }
      this.#evict()
    }
    return { block: Buffer.concat(parts), fields }
  }

  #evict(): void {
    let bytes = 0
    const kept = this.#table.findIndex(([name, value]) => (bytes += name.length + value.length + 32) > this.#maxBytes)
    if (kept >= 0) this.#table.length = kept
  }
}
