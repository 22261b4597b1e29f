import type { Context, OutgoingResponse } from '@fw/types'
import { type Dictionary, isRaw } from './dictionary.ts'
import type { DictionarySet } from './dictionary-set.ts'
import { PathPattern } from './path-pattern.ts'
import { audienceOf } from './privacy.ts'
import { readSource } from './source-folder.ts'
import { type DictionaryUse, useAsDictionary } from './use-as-dictionary.ts'

/** Earlier versions of files, which are read once. They belong to no user. */
export class FileDictionaries implements DictionarySet {
  readonly isOfFiles = true
  readonly #pattern: PathPattern
  readonly #announcement: string
  readonly #held: ReadonlyMap<string, Dictionary>

  /** @throws {Error} if the folder cannot be read */
  constructor({ source, ...use }: DictionaryUse & { readonly source: string | URL }, maxSourceBytes: number) {
    this.#pattern = new PathPattern(use.match)
    this.#announcement = useAsDictionary(use)
    this.#held = readSource(source, this.#pattern.suffix, maxSourceBytes)
  }

  /** Reports whether the pattern matches a request. */
  matches({ path }: Context): boolean {
    return this.#pattern.test(path)
  }

  get(key: string): Dictionary | undefined {
    return this.#held.get(key)
  }

  find(key: string, response: OutgoingResponse, ctx: Context): Dictionary | undefined {
    return audienceOf(ctx.headers, response.headers, true) === 'public' ? this.#held.get(key) : undefined
  }

  announce({ headers, whole }: OutgoingResponse, ctx: Context): void {
    if (headers.has('use-as-dictionary') || audienceOf(ctx.headers, headers, true) === 'not-stored') return
    // An encoded file begins with other bytes. Its content is not in `source` in the next release if it is not raw.
    if (whole === null || isRaw(whole)) headers.set('use-as-dictionary', this.#announcement)
  }
}
