import type { ResponseHeaders } from '@fw/types'

type ResponseFields = Pick<ResponseHeaders, 'get' | 'has'>

/**
 * Which clients a response is for: any of them, the one that sent the request, or no client may store it.
 *
 * Only `public` and `s-maxage` make a response public (RFC 9111 §5.2.2.9, §5.2.2.10). Any other response can depend on the user.
 * A server can recognize users by a cookie, a field of the request or an address.
 */
export type Audience = 'public' | 'private' | 'not-stored'

/** Returns the audience of a response. @param isFile Whether the body is a file, which does not depend on the user */
export function audienceOf(response: ResponseFields, isFile: boolean): Audience {
  const control = response.get('cache-control') ?? ''
  if (hasDirective(control, 'no-store')) return 'not-stored'
  if (hasDirective(control, 'private') || response.has('set-cookie') || variesByUser(response)) return 'private'
  return isFile || hasDirective(control, 'public') || hasDirective(control, 's-maxage') ? 'public' : 'private'
}

function variesByUser(response: ResponseFields): boolean {
  return /(?:^|,)\s*(?:\*|cookie|authorization)\s*(?:,|$)/i.test(response.get('vary') ?? '')
}

/** Reports whether a `Cache-Control` value has a directive. Ignores a directive inside a quoted argument. */
function hasDirective(control: string, name: string): boolean {
  const unquoted = control.includes('"') ? control.replaceAll(/"(?:[^"\\]|\\.)*"/g, '') : control
  return unquoted.split(',').some((directive) => {
    const end = directive.indexOf('=')
    return (end < 0 ? directive : directive.slice(0, end)).trim().toLowerCase() === name
  })
}
