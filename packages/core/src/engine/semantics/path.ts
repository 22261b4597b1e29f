/** RFC 3986 allows less. A space, a control or a fragment makes another request of it elsewhere. */
const PATH = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * Reports whether `path` can be the path and query of a request: visible ASCII after a slash, without `#`, or `*` for
 * OPTIONS.
 *
 * @see RFC 9112 §3.2.1 and §3.2.4, RFC 9113 §8.3.1, RFC 9114 §4.3.1
 */
export function isPath(method: string, path: string): boolean {
  return PATH.test(path) || (path === '*' && method === 'OPTIONS')
}
