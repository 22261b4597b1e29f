import type { LogSink } from '../sinks/log-sink.ts'

/** A sink under test with a function that reads its entries. */
export interface SinkUnderTest {
  /** The sink. Each test creates a new one. */
  readonly sink: LogSink
  /** Returns the entries that a reader of the output sees, one for each record, in order. */
  readonly entries: () => readonly string[]
}

/** Registers a test; `test` from `node:test`, `it` from vitest or Jest. */
export type TestFunction = (name: string, check: () => Promise<void>) => unknown
