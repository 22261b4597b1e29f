import type { LogRecord, Sink } from '@fw/types'
import { describe, expect, it } from 'vitest'

/** A sink under test, and the way to see what became of its records. */
export interface SinkUnderTest {
  readonly sink: Sink
  /** What a reader finds, one element for each record, in order. */
  readonly entries: () => string[]
}

/** A record as a logger would make it. */
export function record(parts: Partial<LogRecord> = {}): LogRecord {
  return {
    level: 2,
    timeMs: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    message: 'hello',
    location: undefined,
    threadId: 0,
    fields: undefined,
    ...parts,
  }
}

/** What every sink does, whatever its form: runs against each implementation. */
export function sinkContract(name: string, make: () => SinkUnderTest): void {
  describe(`${name} keeps the sink contract`, () => {
    it('keeps every record in the order of the calls', async () => {
      const { sink, entries } = make()
      const messages = Array.from({ length: 50 }, (_, at) => `message-${at}-`)
      for (const message of messages) sink.write(record({ message }))
      await sink.flush()
      const found = entries()
      expect(found).toHaveLength(50)
      messages.forEach((message, at) => expect(found[at]).toContain(message))
    })

    it.each([0, 1, 2, 3, 4, 5] as const)('takes a record of level %i', async (level) => {
      const { sink, entries } = make()
      sink.write(record({ level, message: `at ${level}` }))
      await sink.flush()
      expect(entries()).toEqual([expect.stringContaining(`at ${level}`)])
    })

    it.each([
      ['LF', 'a\nb'],
      ['CR', 'a\rb'],
      ['CRLF and a forged prefix', 'a\r\n[2026-01-01 00:00:00.000] [INFO ] b'],
      ['line and paragraph separators', 'a\u2028b\u2029c\u0085d'],
      ['a terminal sequence', '\u001b[2J\u001b[1A\u009b31m'],
      ['NUL and backspace', 'a\0\b\u007f'],
      ['half a surrogate pair', 'a\ud800b\udc00'],
      ['nothing', ''],
      ['quotes and a closing brace', '"}\n{"level":"fatal"}'],
    ])('makes one entry of a message with %s', async (_what, message) => {
      const { sink, entries } = make()
      sink.write(record({ message }))
      sink.write(record({ message: 'the next' }))
      await sink.flush()
      expect(entries()).toEqual([expect.anything(), expect.stringContaining('the next')])
    })

    it('takes a message of a million characters as a whole', async () => {
      const { sink, entries } = make()
      const message = `<${'é'.repeat(1_000_000)}>`
      sink.write(record({ message }))
      await sink.flush()
      expect(entries()[0]?.includes(message)).toBe(true)
    })

    it('takes a record with location, thread and fields without changing it', async () => {
      const { sink, entries } = make()
      const location = Object.freeze({ file: '/src/app.ts', line: 7, functionName: 'main' })
      const fields = Object.freeze({ id: 1n, nested: new Map([[1, 2]]) })
      sink.write(Object.freeze(record({ location, fields, threadId: 3 })))
      await sink.flush()
      expect(entries()).toEqual([expect.stringContaining('hello')])
    })

    it('survives fields that cannot be shown', async () => {
      const { sink, entries } = make()
      const circular: Record<string, unknown> = {}
      circular.self = circular
      const hostile = {
        toJSON(): never {
          throw new Error('no')
        },
      }
      sink.write(record({ fields: { circular, hostile, symbol: Symbol('s'), nothing: undefined } }))
      await sink.flush()
      expect(entries()).toHaveLength(1)
    })

    it('has no effect after close, and closes twice', async () => {
      const { sink, entries } = make()
      sink.write(record({ message: 'before' }))
      await sink.close()
      sink.write(record({ message: 'after' }))
      await sink.flush()
      await sink.close()
      expect(entries()).toEqual([expect.stringContaining('before')])
    })
  })
}
