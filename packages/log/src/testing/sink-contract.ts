import { deepEqual, equal, ok } from 'node:assert/strict'
import { test as nodeTest } from 'node:test'
import type { LogRecord } from '@fw/types'
import { abilityContract } from './ability-contract.ts'
import { logRecord } from './log-record.ts'
import type { SinkUnderTest, TestFunction } from './sink-under-test.ts'

/** Messages that a sink must write as exactly one entry. */
const AWKWARD: Readonly<Record<string, string>> = {
  LF: 'a\nb',
  CR: 'a\rb',
  'CRLF and a forged prefix': 'a\r\n[2026-01-01 00:00:00.000] [INFO ] b',
  'line and paragraph separators': 'a\u2028b\u2029c\u0085d',
  'characters of zero width': 'a\u200bb\u2060c\u00add',
  'a terminal sequence': '\u001b[2J\u001b[1A\u009b31m',
  'NUL and backspace': 'a\0\b\u007f',
  'half a surrogate pair': 'a\ud800b\udc00',
  'nothing in it': '',
  'quotes and a closing brace': '"}\n{"level":"fatal"}',
}

/**
 * Registers the tests that every sink must pass, and the tests for the abilities that it declares.
 *
 * @param name Prefix of the name of each test
 * @param make Creates a new, empty sink for each test
 *
 * @example
 * sinkContract('SyslogSink', () => { const sink = new SyslogSink(…); return { sink, entries: () => … } }, it)
 */
export function sinkContract(name: string, make: () => SinkUnderTest, test: TestFunction = nodeTest): void {
  const it: TestFunction = (title, run) => test([name, title].join(' '), run)

  /** Writes records into a new sink. */
  const entriesOf = async (...records: LogRecord[]): Promise<readonly string[]> => {
    const { sink, entries } = make()
    for (const record of records) sink.write(record)
    await sink.flush()
    return entries()
  }

  it('keeps every record in the order of the calls', async () => {
    const messages = Array.from({ length: 50 }, (_, at) => `message-${at}-`)
    const found = await entriesOf(...messages.map((message) => logRecord({ message })))
    equal(found.length, 50)
    messages.forEach((message, at) => includes(found[at], message))
  })

  for (const level of [0, 1, 2, 3, 4, 5] as const) {
    it(`accepts a record of level ${level}`, async () => {
      const found = await entriesOf(logRecord({ level, message: `at ${level}` }))
      equal(found.length, 1)
      includes(found[0], `at ${level}`)
    })
  }

  for (const [what, message] of Object.entries(AWKWARD)) {
    it(`writes one entry for a message with ${what}`, async () => {
      const found = await entriesOf(logRecord({ message }), logRecord({ message: 'the next' }))
      equal(found.length, 2)
      includes(found[1], 'the next')
    })
  }

  it('writes a message of a million characters completely', async () => {
    const message = `<${'é'.repeat(1_000_000)}>`
    const [entry] = await entriesOf(logRecord({ message }))
    // The default message would print the entire text.
    ok(entry?.includes(message), 'the message is not in the entry')
  })

  it('accepts a record with location, thread and fields without changing it', async () => {
    const location = Object.freeze({ file: '/src/app.ts', line: 7, functionName: 'main' })
    const fields = Object.freeze({ id: 1n, nested: new Map([[1, 2]]) })
    const found = await entriesOf(Object.freeze(logRecord({ location, fields, threadId: 3 })))
    equal(found.length, 1)
    includes(found[0], 'hello')
  })

  it('survives fields that cannot be shown', async () => {
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const hostile = {
      toJSON(): never {
        throw new Error('no')
      },
    }
    const fields = { circular, hostile, symbol: Symbol('s'), nothing: undefined }
    equal((await entriesOf(logRecord({ fields }))).length, 1)
  })

  it('has no effect after close, and can be closed twice', async () => {
    const { sink, entries } = make()
    sink.write(logRecord({ message: 'before' }))
    await sink.close()
    const closed = [...entries()]
    equal(closed.length, 1)
    includes(closed[0], 'before')
    sink.write(logRecord({ message: 'after' }))
    await sink.flush()
    await sink.close()
    deepEqual([...entries()], closed)
  })

  abilityContract(make, it)
}

function includes(entry: string | undefined, text: string): void {
  ok(entry?.includes(text), `${JSON.stringify(entry)} does not include ${JSON.stringify(text)}`)
}
