import type { StandardSchema } from '@fw/types'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { App } from '../app/app.ts'
import { MemoryExchange } from '../memory/exchange.ts'
import { memoryRequest } from '../memory/request.ts'

/** Parses `application/x-www-form-urlencoded` by following the steps of the WHATWG URL standard. */
function pairsByTheRules(query: string): [name: string, value: string][] {
  return query
    .split('&')
    .filter((sequence) => sequence !== '')
    .map((sequence) => {
      const equals = sequence.indexOf('=')
      const [name, value] = equals === -1 ? [sequence, ''] : [sequence.slice(0, equals), sequence.slice(equals + 1)]
      return [decoded(name), decoded(value)]
    })
}

function decoded(text: string): string {
  const spaced = Buffer.from(text.replaceAll('+', ' '))
  const bytes: number[] = []
  for (let i = 0; i < spaced.length; i++) {
    const digits = spaced.subarray(i + 1, i + 3).toString('latin1')
    if (spaced[i] === 0x25 && /^[\dA-Fa-f]{2}$/.test(digits)) {
      bytes.push(Number.parseInt(digits, 16))
      i += 2
    } else bytes.push(spaced[i] ?? 0)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes))
}

/** Queries with every kind of name, value and encoding, valid and invalid. */
const query = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '&',
        '=',
        '+',
        '?',
        '%',
        '%zz',
        '%2',
        '%20',
        '%26',
        '%3D',
        '%2B',
        '%C3%A9',
        '%C3',
        '%FF',
        '%EF%BB%BF',
      ),
      fc.constantFrom('a', 'b', '__proto__', 'constructor', 'a[]', '[', '/', ';'),
      fc.string({ maxLength: 3 }).map((text) => text.replaceAll('#', '')),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.join(''))

const anything: StandardSchema<Record<string, string | string[]>> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Record<string, string> }) },
}

interface Seen {
  readonly raw: string
  readonly path: string
  readonly pairs: readonly (readonly [string, string])[]
  readonly valid: readonly (readonly [string, string | string[]])[]
}

/** Returns the query that a handler receives for a target that no URL parser has normalized. */
function seenBy(target: string): Seen | undefined {
  let seen: Seen | undefined
  const app = new App()
  app.router.get('/a', { query: anything }, (ctx) => {
    seen = { raw: ctx.rawQuery, path: ctx.path, pairs: [...ctx.query], valid: Object.entries(ctx.valid.query) }
  })
  app.handle(new MemoryExchange({ ...memoryRequest('/a'), target }))
  return seen
}

describe('ctx.query', () => {
  it('parses the text after the first question mark by the rules of the URL standard', () => {
    fc.assert(
      fc.property(query, (text) => {
        const seen = seenBy(`/a?${text}`)
        expect([seen?.path, seen?.raw]).toEqual(['/a', text])
        expect(seen?.pairs).toEqual(pairsByTheRules(text))
      }),
      { numRuns: 1000 },
    )
  })

  it('passes each name to a schema once, with its value or a list of its values', () => {
    fc.assert(
      fc.property(query, (text) => {
        const lists = new Map<string, string[]>()
        for (const [name, value] of pairsByTheRules(text)) lists.set(name, [...(lists.get(name) ?? []), value])
        const expected = Array.from(lists, ([name, values]) => [name, values.length === 1 ? values[0] : values])
        expect(new Map(seenBy(`/a?${text}`)?.valid)).toEqual(new Map(expected as [string, string | string[]][]))
      }),
      { numRuns: 1000 },
    )
  })

  it('returns the pairs that URLSearchParams wrote', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))), (pairs) => {
        expect(seenBy(`/a?${new URLSearchParams(pairs).toString()}`)?.pairs).toEqual(pairs)
      }),
    )
  })
})
