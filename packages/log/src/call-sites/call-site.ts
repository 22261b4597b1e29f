import type { SourceLocation } from '@fw/types'

/** The first argument of a log call that `register-location` has marked. */
export class CallSite {
  readonly #location: SourceLocation

  constructor(location: SourceLocation) {
    this.#location = location
  }

  /** Unlike `instanceof` this runs no code of the value, which may be a proxy. */
  static is(value: unknown): value is CallSite {
    return typeof value === 'object' && value !== null && #location in value
  }

  get location(): SourceLocation {
    return this.#location
  }
}

/** What marked source code makes once for each log call in it; not meant to be written by hand. */
export function callSite(file: string, line: number, functionName: string): CallSite {
  return new CallSite({ file, line, functionName })
}
