import { basename } from 'node:path'
import type { SentFile } from '@fw/http-fields'
import type { Context, OutgoingResponse } from '@fw/types'
import { type Dictionary, isRaw } from './dictionary.ts'
import type { DictionarySet, ResponseDictionaries } from './dictionary-set.ts'
import { lastSegment, patternOf, stemOf } from './file-name.ts'
import { PathPattern } from './path-pattern.ts'
import { audienceOf } from './privacy.ts'
import { readSource, type SourceDictionary } from './source-folder.ts'
import { type DictionaryUse, useAsDictionary } from './use-as-dictionary.ts'

/** Earlier versions of files, which are read once. They encode only public responses. */
export class FileDictionaries implements DictionarySet {
  readonly #use: DictionaryUse
  readonly #pattern: PathPattern
  readonly #held: ReadonlyMap<string, SourceDictionary>

  /** @throws {Error} if the folder cannot be read */
  constructor({ source, ...use }: DictionaryUse & { readonly source: string | URL }, maxSourceBytes: number) {
    this.#use = use
    this.#pattern = new PathPattern(use.match)
    this.#held = readSource(source, this.#pattern.suffix, maxSourceBytes)
  }

  /** Reports whether the pattern matches a path. */
  matches(path: string): boolean {
    return this.#pattern.test(path)
  }

  get(key: string): Dictionary | undefined {
    return this.#held.get(key)
  }

  for(response: OutgoingResponse, { path }: Context, file: SentFile | undefined): ResponseDictionaries | undefined {
    const { headers, whole } = response
    if (audienceOf(headers, file !== undefined) !== 'public') return undefined
    const name = file === undefined ? lastSegment(path) : basename(file.path)
    return {
      find: (key) => {
        // A client could otherwise choose a long dictionary that saves nothing.
        const dictionary = this.#held.get(key)
        const stem = stemOf(name)
        return stem !== undefined && dictionary?.stems.has(stem) === true ? dictionary : undefined
      },
      announce: () => {
        // An encoded file begins with other bytes. Its content is not in `source` in the next release if it is not raw.
        if (headers.has('use-as-dictionary') || (whole !== null && !isRaw(whole))) return
        // Clients hold one dictionary for each pattern. With one pattern for many files, they would lose all but the last.
        const match = patternOf(path, name)
        if (match !== undefined) headers.set('use-as-dictionary', useAsDictionary({ ...this.#use, match }))
      },
    }
  }
}
