import type { OptionKind } from '@fw/options'
import { parsePattern } from './match-pattern.ts'

/** Accepts paths in which `*` is the only character with a meaning of its own. */
export const pathPattern: OptionKind = {
  expected: 'a path that begins with "/", in which * stands for any characters',
  accepts: (value) => typeof value === 'string' && !/[:(){}?+\\#]/.test(value) && parsePattern(value) !== undefined,
  fix: 'Write ASCII without query and any of : ( ) { } ? + \\ #, for example "/app/*.js".',
}

/**
 * A URL pattern of paths. The server evaluates it for every request, in linear time: `URLPattern` is a backtracking regular
 * expression, and takes 10 s for `/a*b*c*d` and a path of 6 KB.
 */
export class PathPattern {
  /** The text that follows the last `*`, such as `.js`; empty without `*`. */
  readonly suffix: string
  readonly #prefix: string
  /** The texts between two `*`. */
  readonly #middles: readonly string[]
  readonly #isLiteral: boolean

  /** @param pattern A pattern that `pathPattern` accepts */
  constructor(pattern: string) {
    // Percent-encodes what a URL cannot contain, as the client does.
    const { pathname = pattern } = parsePattern(pattern) ?? {}
    const [prefix = '', ...rest] = pathname.split('*')
    this.#prefix = prefix
    this.#isLiteral = rest.length === 0
    this.suffix = rest.pop() ?? ''
    this.#middles = rest
  }

  /** Reports whether a path matches. @param path The path as received, without the query */
  test(path: string): boolean {
    if (this.#isLiteral) return path === this.#prefix
    if (!path.startsWith(this.#prefix) || !path.endsWith(this.suffix)) return false
    const end = path.length - this.suffix.length
    let at = this.#prefix.length
    for (const middle of this.#middles) {
      const found = path.indexOf(middle, at)
      if (found < 0) return false
      at = found + middle.length
    }
    return at <= end
  }
}
