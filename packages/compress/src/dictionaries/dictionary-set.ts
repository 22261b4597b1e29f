import type { Context, OutgoingResponse } from '@fw/types'
import type { Dictionary } from './dictionary.ts'

/** A source of dictionaries for some responses. */
export interface DictionarySet {
  /** Whether the dictionaries are files, so that the response is a file too. */
  readonly isOfFiles: boolean
  /** Returns the dictionary with a key, if this response can be encoded with it. Called before `announce`. */
  find(key: string, response: OutgoingResponse, ctx: Context): Dictionary | undefined
  /** Announces the response as a dictionary, if it can be one. */
  announce(response: OutgoingResponse, ctx: Context): void
}
