import { declareRouteOption, func, integer, object, type OptionKinds } from '@fw/options'
import type { Context } from '@fw/types'
import { matchPattern } from './match-pattern.ts'
import { destinationList, dictionaryId, type RequestDestination } from './use-as-dictionary.ts'

/** Makes the responses of a route dictionaries for its later ones. */
export interface RouteDictionary {
  /** URL pattern of the requests for which clients offer a response, such as `/api/list*`. It begins with `/`. */
  readonly match: string
  /** Destinations of these requests. Requests by `fetch()` have the empty string. Default: all. */
  readonly destinations?: readonly RequestDestination[]
  /** Identifier of the dictionaries, which clients repeat. Up to 1024 characters. Default: none. */
  readonly id?: string
  /** Longest response that becomes a dictionary, in bytes. Default: 262,144. */
  readonly maxBytes?: number
  /**
   * Returns the session key for a response that is not `public`. Only requests with the same key then use the response as a
   * dictionary. Called once for each response. Default: such responses are sent without dictionaries.
   */
  readonly session?: (ctx: Context) => string | undefined
}

/** The dictionaries of a route; `false` sends its responses without them. */
export type RouteDictionaryOption = RouteDictionary | false

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * Makes the responses of this route dictionaries for its later ones; `false` sends them without dictionaries. It has no effect
     * without a `dictionaries` around the route.
     */
    readonly dictionary?: RouteDictionaryOption | undefined
  }
}

const KINDS: OptionKinds<RouteDictionary> = {
  match: matchPattern,
  destinations: destinationList,
  id: dictionaryId,
  maxBytes: integer(0),
  session: func,
}

declareRouteOption('dictionary', {
  expected: 'false or an object with "match"',
  accepts: (value) => value === false || (object.accepts(value) && 'match' in (value as object)),
  fix: 'Write, for example, { match: "/api/list*" }.',
  nested: KINDS,
})
