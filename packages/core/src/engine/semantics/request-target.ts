/** The parts of a request target, neither decoded nor normalized. */
export interface RequestTarget {
  /** The form of the target; `malformed` if the target has no form that the method allows. */
  readonly form: 'origin' | 'absolute' | 'authority' | 'asterisk' | 'malformed'
  /**
   * The path up to the first `?`, without scheme and authority; `*` in asterisk form; `host:port` in authority form.
   */
  readonly path: string
  /** The query after the first `?`; empty without one. */
  readonly rawQuery: string
}

const ABSOLUTE = /^https?:\/\/[^/?#]+/i

/**
 * Parses a request target.
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
  // RFC 9112 §3.2.4: OPTIONS with an absolute target that has no path and no query means OPTIONS *.
  if (rest === '' && method === 'OPTIONS') return { form: 'asterisk', path: '*', rawQuery: '' }
  return cut('absolute', `/${rest}`)
}

function cut(form: RequestTarget['form'], target: string): RequestTarget {
  const mark = target.indexOf('?')
  if (mark === -1) return { form, path: target, rawQuery: '' }
  return { form, path: target.slice(0, mark), rawQuery: target.slice(mark + 1) }
}
