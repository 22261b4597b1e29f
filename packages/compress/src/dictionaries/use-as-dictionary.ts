import { serializeDictionary, type Member } from '@fw/http-fields'
import { listOf, oneOf, type OptionKind } from '@fw/options'

/** The purpose of a request (Fetch §2.2.5). Requests by `fetch()` have the empty string. */
export type RequestDestination =
  | ''
  | 'audio'
  | 'audioworklet'
  | 'document'
  | 'embed'
  | 'font'
  | 'frame'
  | 'iframe'
  | 'image'
  | 'json'
  | 'manifest'
  | 'object'
  | 'paintworklet'
  | 'report'
  | 'script'
  | 'sharedworker'
  | 'style'
  | 'text'
  | 'track'
  | 'video'
  | 'worker'
  | 'xslt'

const DESTINATIONS: readonly RequestDestination[] = [
  '',
  'audio',
  'audioworklet',
  'document',
  'embed',
  'font',
  'frame',
  'iframe',
  'image',
  'json',
  'manifest',
  'object',
  'paintworklet',
  'report',
  'script',
  'sharedworker',
  'style',
  'text',
  'track',
  'video',
  'worker',
  'xslt',
]

/** Longest `id`, in characters (RFC 9842 §2.1.3). */
const MAX_ID_LENGTH = 1024

/** Accepts arrays of request destinations. */
export const destinationList: OptionKind = listOf('an array of request destinations', oneOf(...DESTINATIONS))

/** Accepts dictionary identifiers. */
export const dictionaryId: OptionKind = {
  expected: `printable ASCII text of at most ${MAX_ID_LENGTH} characters`,
  accepts: (value) => typeof value === 'string' && value.length <= MAX_ID_LENGTH && /^[\x20-\x7e]*$/.test(value),
  isRightType: (value) => typeof value === 'string',
}

/** The requests for which clients offer a dictionary. */
export interface DictionaryUse {
  readonly match: string
  readonly destinations?: readonly RequestDestination[] | undefined
  readonly id?: string | undefined
}

/**
 * Returns the value of a `Use-As-Dictionary` field.
 *
 * @see RFC 9842 §2.1
 *
 * @example
 * useAsDictionary({ match: '/app/*.js', destinations: ['script'] })   // match="/app/*.js", match-dest=("script")
 */
export function useAsDictionary({ match, destinations = [], id = '' }: DictionaryUse): string {
  const parameters = new Map<string, never>()
  const members = new Map<string, Member>([['match', { value: match, parameters }]])
  const items = destinations.map((value) => ({ value, parameters }))
  if (items.length > 0) members.set('match-dest', { items, parameters })
  if (id !== '') members.set('id', { value: id, parameters })
  return serializeDictionary(members)
}
