/** A request target cut in two, neither decoded nor normalised. */
export interface TargetParts {
  readonly path: string
  /** After the first `?`; empty without one. */
  readonly query: string
}

/**
 * Cuts a request target at the first `?`; scheme and authority of an absolute one are dropped (RFC 9112 §3.2.2), and what
 * may be a password before the host of any other. Takes anything, because what could not be parsed is logged too.
 */
export function splitTarget(target: string): TargetParts {
  const origin = target.replace(/^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*|[^/?#]*@)/i, '')
  const mark = origin.indexOf('?')
  if (mark === -1) return { path: origin || '/', query: '' }
  return { path: origin.slice(0, mark) || '/', query: origin.slice(mark + 1) }
}
