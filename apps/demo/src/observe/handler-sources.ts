import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { SourceCode } from '../live/messages.ts'

/** Source lines of a handler that the page shows. */
const MAX_LINES = 12

/** Source code of the handlers, from the file that registers them. */
export class HandlerSources {
  readonly #file: string
  readonly #lines: readonly string[]
  readonly #found = new Map<string, SourceCode>()

  /** @param file Absolute path of the file that registers the routes */
  constructor(file: string) {
    this.#file = file
    this.#lines = readFileSync(file, 'utf8').split('\n')
  }

  /** Sources found so far, by pattern. */
  get all(): Readonly<Record<string, SourceCode>> {
    return Object.fromEntries(this.#found)
  }

  /**
   * Finds a route's source code.
   *
   * @param pattern The route pattern
   * @param call The beginning of the line that registers the route, such as `api.get('/hello/:name'`
   */
  find(pattern: string, call: string): void {
    const first = this.#lines.findIndex((line) => line.trimStart().startsWith(call))
    if (first < 0) return
    const lines = statement(this.#lines.slice(first))
    this.#found.set(pattern, { file: basename(this.#file), firstLine: first + 1, lines: lines.slice(0, MAX_LINES) })
  }

  /** Returns the index of a location in the lines of its handler; `undefined` if no shown handler contains it. */
  lineOf(location: { readonly file: string; readonly line: number } | undefined): number | undefined {
    if (location?.file !== this.#file) return undefined
    for (const { firstLine, lines } of this.#found.values()) {
      const index = location.line - firstLine
      if (index >= 0 && index < lines.length) return index
    }
    return undefined
  }
}

/**
 * Returns the lines of the first statement, without its indentation. The statement ends at the next line with the same
 * or less indentation.
 */
export function statement(lines: readonly string[]): readonly string[] {
  const [first = ''] = lines
  const indent = first.length - first.trimStart().length
  const own = [first]
  if (/[,{([>]$/.test(first)) {
    for (const line of lines.slice(1)) {
      own.push(line)
      if (line.trim() !== '' && line.length - line.trimStart().length <= indent) break
    }
  }
  return own.map((line) => line.slice(indent))
}
