import { writeSync } from 'node:fs'
import type { Sink } from '@fw/types'
import { display, UNSHOWABLE } from './text/display.ts'
import { escapeLine } from './text/escape.ts'

/** The minimum milliseconds between two reports of one sink, because a broken sink fails for every record. */
const PERIOD_MS = 1000

interface Failures {
  /** The time of the last report about this sink, measured with `performance.now()`. */
  reportedMs: number
  unreported: number
}

/** Reports failing sinks without using a sink. */
export class FailureReport {
  readonly #print: (line: string) => void
  readonly #failures = new WeakMap<Sink, Failures>()

  /**
   * @param print Writes one line, which it receives without a line break
   */
  constructor(print: (line: string) => void = printToStderr) {
    this.#print = print
  }

  /** Reports a failure at most once a second for each sink, with the number of failures since the last report. */
  add(sink: Sink, error: unknown): void {
    const now = performance.now()
    const failures = this.#failures.get(sink) ?? { reportedMs: -Infinity, unreported: 0 }
    this.#failures.set(sink, failures)
    if (now - failures.reportedMs < PERIOD_MS) {
      failures.unreported++
      return
    }
    const more = failures.unreported === 0 ? '' : ` (and ${failures.unreported} more since the last report)`
    failures.reportedMs = now
    failures.unreported = 0
    this.#print(escapeLine(`log: ${nameOf(sink)} failed: ${reasonOf(error)}${more}`))
  }
}

function nameOf(sink: Sink): string {
  try {
    const name = sink.constructor?.name
    return name && name !== 'Object' ? name : 'a sink'
  } catch {
    // An application getter threw.
    return 'a sink'
  }
}

function reasonOf(error: unknown): string {
  try {
    return display(error instanceof Error ? error.message : error)
  } catch {
    // The thrown value cannot be read, such as a revoked proxy.
    return UNSHOWABLE
  }
}

/** Prints a line to stderr, without a sink. Never throws. */
export function printToStderr(line: string): void {
  try {
    writeSync(2, line + '\n')
  } catch {
    // The error cannot be reported anywhere else.
  }
}
