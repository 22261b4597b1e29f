/** Matches one entity-tag and the separator before it (RFC 9110 §8.8.3, §5.6.1). */
const LIST_MEMBER = /[\t ,]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[\t ]*(?=,|$)/y

/**
 * Reports whether a list of entity-tags, as in `If-None-Match`, contains `etag`, ignoring weakness. Reads the list up to
 * its first malformed member.
 *
 * @see RFC 9110 §8.8.3.2 (weak comparison)
 */
export function matchesWeakly(list: string, etag: string): boolean {
  // Fast path, because nearly every client sends exactly the tag that it received.
  if (list === etag) return true
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag
  return someTag(list, (_, tag) => tag === opaque)
}

/**
 * Reports whether a list of entity-tags, as in `If-Match`, contains `etag` and both are strong. Reads the list up to its
 * first malformed member.
 *
 * @see RFC 9110 §8.8.3.2 (strong comparison)
 */
export function matchesStrongly(list: string, etag: string): boolean {
  return someTag(list, (isWeak, tag) => !isWeak && tag === etag)
}

function someTag(list: string, matches: (isWeak: boolean, tag: string) => boolean): boolean {
  LIST_MEMBER.lastIndex = 0
  for (let found = LIST_MEMBER.exec(list); found !== null; found = LIST_MEMBER.exec(list)) {
    if (matches(found[1] !== undefined, found[2] ?? '')) return true
  }
  return false
}
