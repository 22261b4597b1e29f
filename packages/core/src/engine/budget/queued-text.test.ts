import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkQueue } from './chunk-queue.ts'
import { QueuedText } from './queued-text.ts'

it('encodes to the UTF-8 bytes of the text in pieces of any size', () => {
  const long = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.repeat(200))
  const unpaired = fc.constantFrom('\ud83d', '\ude00', '😀', 'é', 'a').map((text) => text.repeat(3000))
  fc.assert(
    fc.property(
      fc.array(fc.oneof(long, unpaired), { maxLength: 4 }),
      fc.integer({ min: 1, max: 5000 }),
      (texts, max) => {
        const queue = new ChunkQueue()
        const bytes = Buffer.from(texts.join(''))
        const whole = texts.join('')
        queue.push(new QueuedText(whole, bytes.length))
        const taken: Uint8Array[] = []
        for (let piece = queue.take(max); piece !== undefined; piece = queue.take(max)) {
          expect(piece.byteLength).toBeLessThanOrEqual(max)
          taken.push(piece)
        }
        expect(Buffer.concat(taken).equals(bytes)).toBe(true)
        expect(queue.bytes).toBe(0)
      },
    ),
    { numRuns: 50 },
  )
})
