import { writeSync } from 'node:fs'
import type { Sink } from '@fw/types'
import { display } from './display.ts'
import { escapeLine } from './escape.ts'

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
    const reason = error instanceof Error ? error.message : display(error)
    this.#print(escapeLine(`log: ${nameOf(sink)} failed: ${reason}${more}`))
  }
}

function nameOf(sink: Sink): string {
  const name = sink.constructor?.name
  return name && name !== 'Object' ? name : 'a sink'
}

/** Prints where no sink is needed. Never throws. */
export function printToStderr(line: string): void {
  try {
    writeSync(2, line + '\n')
  } catch {
    // There is no place left to say it.
  }
}
