import type { SourceLocation } from '@fw/types'

/** The first argument of a log call that `register-location` has marked. */
export class CallSite {
  readonly #location: SourceLocation

  constructor(location: SourceLocation) {
    this.#location = location
  }

  /** Reports whether a value is a call site. Unlike `instanceof`, this does not run a proxy's traps. */
  static is(value: unknown): value is CallSite {
    return typeof value === 'object' && value !== null && #location in value
  }

  /** The place of the log call. */
  get location(): SourceLocation {
    return this.#location
  }
}

/** Creates the argument that `register-location` adds to each log call. Do not call it in application code. */
export function callSite(file: string, line: number, functionName: string): CallSite {
  return new CallSite({ file, line, functionName })
}
