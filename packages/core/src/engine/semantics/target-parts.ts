/** The parts of a request target that HTTP/2 and HTTP/3 send as pseudo-header fields. */
export interface TargetParts {
  readonly scheme: string | undefined
  readonly authority: string | undefined
  readonly path: string | undefined
}

const ABSOLUTE = /^([A-Za-z][A-Za-z0-9+\-.]*):\/\/([^/?]*)(.*)$/

/**
 * Splits a request target without checking it. A target of unknown form becomes the path, which the check then rejects.
 *
 * @see RFC 9112 §3.2 (origin, absolute, authority and asterisk form)
 */
export function splitTarget(method: string, target: string): TargetParts {
  if (method === 'CONNECT') return { scheme: undefined, authority: target, path: undefined }
  const match = target.startsWith('/') ? null : ABSOLUTE.exec(target)
  if (match === null) return { scheme: undefined, authority: undefined, path: target }
  const [, scheme, authority, rest = ''] = match
  // RFC 9110 §4.2.3: an empty path means "/".
  return { scheme, authority, path: rest.startsWith('/') ? rest : `/${rest}` }
}
