import { writeSync } from 'node:fs'
import type { Sink } from '@fw/types'
import { display, UNSHOWABLE } from './text/display.ts'
import { escapeLine } from './text/escape.ts'

/** A sink that fails does so for every record; once a second is enough to be noticed. */
const PERIOD_MS = 1000

interface Failures {
  /** When this sink was last reported, in milliseconds of `performance.now()`. */
  reportedMs: number
  unreported: number
}

/** Tells about failing sinks on a way that needs no sink. */
export class FailureReport {
  readonly #print: (line: string) => void
  readonly #failures = new WeakMap<Sink, Failures>()

  /** @param print Takes one line without a line break */
  constructor(print: (line: string) => void = printToStderr) {
    this.#print = print
  }

  /** Reports a failure, at most once a second for each sink and then with the number of those in between. */
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
    // Code of the application's own class threw; the report must not fail for it.
    return 'a sink'
  }
}

function reasonOf(error: unknown): string {
  try {
    return display(error instanceof Error ? error.message : error)
  } catch {
    // What was thrown throws in turn when it is looked at, such as a revoked proxy: the log call must not.
    return UNSHOWABLE
  }
}

/** Prints where no sink is needed. Never throws. */
export function printToStderr(line: string): void {
  try {
    writeSync(2, line + '\n')
  } catch {
    // There is no place left to say it.
  }
}
