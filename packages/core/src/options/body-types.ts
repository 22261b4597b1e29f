import { listOf, type OptionKind, withFix } from '@fw/options'

/** Matches `*\/*`, or a type and subtype of lower-case token characters (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^(?:\*\/\*|[!#$%&'*+.^_`|~\da-z-]+\/[!#$%&'*+.^_`|~\da-z-]+)$/

/** Kind of the option `bodyTypes` of servers and routes. */
export const BODY_TYPES: OptionKind = withFix(
  {
    ...listOf('a list of media types', {
      expected: 'a media type in lower case without parameters',
      accepts: (value) => typeof value === 'string' && MEDIA_TYPE.test(value) && !isMultipart(value),
      fix: fixForType,
    }),
    accepts: (value) => Array.isArray(value) && value.length > 0,
  },
  "Write, for example, ['application/json'].",
)

function fixForType(given: unknown): string {
  if (typeof given === 'string' && isMultipart(given)) return 'Read multipart bodies with ctx.parts().'
  return "Write, for example, 'application/json', or '*/*' for every body."
}

function isMultipart(type: string): boolean {
  return /^multipart\//i.test(type)
}
