import type { SentFile } from '@fw/http-fields'
import type { Context, OutgoingResponse } from '@fw/types'
import type { Dictionary } from './dictionary.ts'

/** A source of dictionaries for some responses. */
export interface DictionarySet {
  /**
   * Returns the dictionaries for a response; `undefined` if it can neither be encoded with one nor be one.
   *
   * @param file The file that the response sends
   */
  for(response: OutgoingResponse, ctx: Context, file: SentFile | undefined): ResponseDictionaries | undefined
}

/** The dictionaries for one response. */
export interface ResponseDictionaries {
  /** Returns the dictionary with a key. Called before `announce`. */
  find(key: string): Dictionary | undefined
  /** Announces the response as a dictionary, if it can be one. */
  announce(): void
}
