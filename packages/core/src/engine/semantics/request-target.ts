/** What a request is for, taken apart but neither decoded nor normalised. */
export interface RequestTarget {
  /** `malformed` is none of the four forms that the method allows. */
  readonly form: 'origin' | 'absolute' | 'authority' | 'asterisk' | 'malformed'
  /** As far as the first `?`, without scheme and authority; `*` for the server as a whole. */
  readonly path: string
  /** After the first `?`; empty without one. */
  readonly rawQuery: string
}

const ABSOLUTE = /^https?:\/\/[^/?#]+/i

/**
 * Reads a request target.
 *
 * @see RFC 9112 §3.2
 *
 * @example
 * parseRequestTarget('GET', '/a/b?c=1')              // { form: 'origin', path: '/a/b', rawQuery: 'c=1' }
 * parseRequestTarget('GET', 'http://example.com')    // { form: 'absolute', path: '/', rawQuery: '' }
 */
export function parseRequestTarget(method: string, target: string): RequestTarget {
  if (target.startsWith('/')) return cut('origin', target)
  if (method === 'CONNECT') return { form: 'authority', path: target, rawQuery: '' }
  if (target === '*') return { form: method === 'OPTIONS' ? 'asterisk' : 'malformed', path: '*', rawQuery: '' }
  const prefix = ABSOLUTE.exec(target)?.[0]
  if (prefix === undefined) return cut('malformed', target)
  const rest = target.slice(prefix.length)
  if (rest.startsWith('/')) return cut('absolute', rest)
  // RFC 9112 §3.2.4: OPTIONS for an absolute target without path and query is OPTIONS *.
  if (rest === '' && method === 'OPTIONS') return { form: 'asterisk', path: '*', rawQuery: '' }
  return cut('absolute', `/${rest}`)
}

function cut(form: RequestTarget['form'], target: string): RequestTarget {
  const mark = target.indexOf('?')
  if (mark === -1) return { form, path: target, rawQuery: '' }
  return { form, path: target.slice(0, mark), rawQuery: target.slice(mark + 1) }
}
