import { parseHttpDate } from '@fw/http-fields'
import type { Input } from '../conditional.ts'

/** An entity tag, one character for each byte (RFC 9110 §8.8.3). */
interface Tag {
  readonly isWeak: boolean
  readonly opaque: string
}

/** Returns the status that RFC 9110 §13.2.2 requires. Follows its steps in order. */
export function evaluate({ method, fields, etag, lastModified }: Input): number {
  const isRead = method === 'GET' || method === 'HEAD'
  const own = tagsIn(etag)[0] ?? { isWeak: false, opaque: '' }
  const weakly = (tag: Tag): boolean => tag.opaque === own.opaque
  const strongly = (tag: Tag): boolean => weakly(tag) && !tag.isWeak && !own.isWeak
  const dateOf = (name: string): number | undefined => parseHttpDate(fields[name] ?? '')

  const match = fields['if-match']
  const unmodified = dateOf('if-unmodified-since')
  if (match !== undefined) {
    if (!isAny(match) && !tagsIn(match).some(strongly)) return 412
  } else if (unmodified !== undefined && lastModified > unmodified) return 412

  const noneMatch = fields['if-none-match']
  const modified = dateOf('if-modified-since')
  if (noneMatch !== undefined) {
    if (isAny(noneMatch) || tagsIn(noneMatch).some(weakly)) return isRead ? 304 : 412
  } else if (isRead && modified !== undefined && lastModified <= modified) return 304

  if (method !== 'GET' || fields['range'] === undefined) return 200
  const ifRange = fields['if-range']
  const holds = ifRange === undefined || dateOf('if-range') === lastModified || (ifRange === etag && !own.isWeak)
  return holds ? rangeStatus(fields['range']) : 200
}

/** Returns the status for a 10-byte file. The fuzz target `range` checks this field in more depth. */
function rangeStatus(field: string): number {
  const [, first = '', last = ''] = /^[\t ]*bytes=[\t ,]*(\d*)-(\d*)[\t ,]*$/i.exec(field) ?? []
  if (first === '' && last === '') return 200
  if (first === '') return Number(last) === 0 ? 416 : 206
  if (last !== '' && Number(last) < Number(first)) return 200
  return Number(first) >= 10 ? 416 : 206
}

/** Returns the entity tags in a list up to its first error. */
export function tagsIn(list: string): Tag[] {
  const tags: Tag[] = []
  let at = 0
  for (;;) {
    while (at < list.length && /[ \t,]/.test(list[at] ?? '')) at++
    const isWeak = list.startsWith('W/', at)
    const start = at + (isWeak ? 3 : 1)
    if (list[start - 1] !== '"') return tags
    let end = start
    // §8.8.3: visible characters except the quote, and bytes above 0x7f.
    while (end < list.length && /[!#-~\x80-\xff]/.test(list[end] ?? '')) end++
    if (list[end] !== '"') return tags
    at = end + 1
    while (list[at] === ' ' || list[at] === '\t') at++
    if (at < list.length && list[at] !== ',') return tags
    tags.push({ isWeak, opaque: list.slice(start, end) })
  }
}

function isAny(list: string): boolean {
  return list.replaceAll(/[\t ]/g, '') === '*'
}
