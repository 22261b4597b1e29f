/**
 * Matches a path and query. Allows more characters than RFC 3986, but no space, control character or `#`, which could
 * make another server read a different path.
 */
const PATH = /^\/[\x21\x22\x24-\x7e]*$/

/**
 * Reports whether `path` is a valid path and query: a slash and visible ASCII without `#`. OPTIONS also allows `*`.
 *
 * @see RFC 9112 §3.2.1 and §3.2.4, RFC 9113 §8.3.1, RFC 9114 §4.3.1
 */
export function isPath(method: string, path: string): boolean {
  return PATH.test(path) || (path === '*' && method === 'OPTIONS')
}
