/** How a client would have its response sent beside others. @see RFC 9218 §4 */
export interface Priority {
  /** 0, the most urgent, to 7. */
  readonly urgency: number
  /** Whether parts of the response are of use before the whole has arrived, so that it may share with others. */
  readonly isIncremental: boolean
}

/** What a request has that does not say otherwise. */
export const DEFAULT_PRIORITY: Priority = { urgency: 3, isIncremental: false }

/** The values of Structured Fields (RFC 9651 §4.2), as far as they have to be told apart. */
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
/** An integer from 0 to 7 in any form that RFC 9651 §4.2.4 reads as one. */
const URGENCY = /^(?:0*[0-7]|-0+)$/
/** No sane value is longer, and this is looked at letter by letter. */
const MAX_LENGTH = 256

/**
 * Reads the value of a `priority` field, or of PRIORITY_UPDATE. What cannot be read is as if it were not there, as are
 * members that nobody knows, and values that a member cannot have.
 *
 * @param base What holds where the value says nothing
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
    // The last one of a key counts (RFC 9651 §4.2.2).
    if (key === 'u') urgency = URGENCY.test(item) ? Math.abs(Number(item)) : base.urgency
    else if (key === 'i') isIncremental = item === '?1'
  }
  return { urgency, isIncremental }
}
