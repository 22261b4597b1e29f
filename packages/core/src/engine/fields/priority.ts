import type { FieldList } from '@fw/types'

/** The priority of a response relative to other responses on the connection. @see RFC 9218 §4 */
export interface Priority {
  /** Urgency from 0, the highest, to 7. */
  readonly urgency: number
  /** Whether the client can process parts of the response. If so, the response can share bandwidth with others. */
  readonly isIncremental: boolean
}

/** Priority of a request without a `priority` field. */
export const DEFAULT_PRIORITY: Priority = { urgency: 3, isIncremental: false }

/** Patterns for Structured Fields (RFC 9651 §4.2), limited to the syntax that the members `u` and `i` need. */
const KEY = '[a-z*][a-z0-9_.*-]*'
const BARE_ITEM = [
  String.raw`-?(?:[0-9]{1,12}\.[0-9]{1,3}|[0-9]{1,15})`,
  String.raw`"(?:[ !#-\[\]-~]|\\["\\])*"`,
  "[A-Za-z*][\\w!#$%&'*+.^`|~:/-]*",
  ':[A-Za-z0-9+/=]*:',
  String.raw`\?[01]`,
].join('|')
const PARAMETERS = `(?:; *${KEY}(?:=(?:${BARE_ITEM}))?)*`
const INNER_ITEM = `(?:${BARE_ITEM})${PARAMETERS}`
const INNER_LIST = String.raw`\( *(?:${INNER_ITEM}(?: +${INNER_ITEM})*)? *\)`
const MEMBER = new RegExp(`(${KEY})(?:=(${BARE_ITEM}|${INNER_LIST}))?${PARAMETERS}[ \\t]*(?:,[ \\t]*(?=[a-z*])|$)`, 'y')
/** An integer from 0 to 7 in any form that RFC 9651 §4.2.4 allows. */
const URGENCY = /^(?:0*[0-7]|-0+)$/
/**
 * Maximum length of a value in characters. Longer values are ignored, because parsing takes time for each character.
 */
const MAX_LENGTH = 256

/**
 * Parses the value of a `priority` field or of PRIORITY_UPDATE. Ignores malformed values, unknown members, and members
 * with an invalid value.
 *
 * @param base Priority to use for members that are absent or ignored
 * @see RFC 9218 §4, §5
 *
 * @example
 * parsePriority('u=1, i')    // { urgency: 1, isIncremental: true }
 */
export function parsePriority(value: string, base: Priority = DEFAULT_PRIORITY): Priority {
  if (value.length > MAX_LENGTH) return base
  let { urgency, isIncremental } = base
  const text = value.replace(/^ +| +$/g, '')
  for (let at = 0; at < text.length; at = MEMBER.lastIndex) {
    MEMBER.lastIndex = at
    const member = MEMBER.exec(text)
    if (member === null) return base
    const [, key, item = '?1'] = member
    // RFC 9651 §4.2.2: if a key is repeated, the last member applies.
    if (key === 'u') urgency = URGENCY.test(item) ? Math.abs(Number(item)) : base.urgency
    else if (key === 'i') isIncremental = item === '?1'
  }
  return { urgency, isIncremental }
}

/**
 * Applies the `priority` field of a response. Parameters that the field omits keep the client's values (RFC 9218 §8).
 */
export function responsePriority(fields: FieldList, ofClient: Priority): Priority {
  let priority = ofClient
  for (let i = 0; i < fields.length; i += 2) {
    if (fields[i] === 'priority') priority = parsePriority(fields[i + 1] ?? '', priority)
  }
  return priority
}
