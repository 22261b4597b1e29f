import { listOf, type OptionKind, withFix } from '@fw/options'

/** Kind of the option `allowedHosts`. */
export const ALLOWED_HOSTS: OptionKind = withFix(
  {
    ...listOf('a list of hosts', {
      expected: 'a host without scheme and port',
      accepts: (value) => typeof value === 'string' && isHost(nameOf(value)),
      fix: (value) =>
        typeof value === 'string' && value.includes('*')
          ? "Write '.example.org' for a domain and its subdomains."
          : "Write for example 'example.org', or '.example.org' to include its subdomains.",
    }),
    accepts: (value) => Array.isArray(value) && value.length > 0,
  },
  "Write for example ['example.org'], or omit it to allow every host.",
)

/** Compares a request's host with the hosts in the option `allowedHosts`. */
export class AllowedHosts {
  readonly #hosts: ReadonlySet<string>
  /** Domains with their leading dot. */
  readonly #suffixes: readonly string[]
  /** The last allowed authority, cached because most requests to a server name the same host. */
  #lastAllowed = ''

  /** @param hosts Valid hosts. A leading dot includes the subdomains */
  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts.map((host) => nameOf(host).toLowerCase()))
    this.#suffixes = hosts.filter((host) => host.startsWith('.')).map((host) => host.toLowerCase())
  }

  /** Reports whether the host in `authority` is allowed, on any port. An empty authority is not allowed. */
  allows(authority: string): boolean {
    if (authority === this.#lastAllowed && authority !== '') return true
    const host = hostOf(authority.toLowerCase())
    if (!this.#hosts.has(host) && !this.#suffixes.some((suffix) => host.endsWith(suffix))) return false
    this.#lastAllowed = authority
    return true
  }
}

/** Returns an entry without its leading dot, if any. */
function nameOf(entry: string): string {
  return entry.startsWith('.') ? entry.slice(1) : entry
}

/** Returns the host of an authority, without the port and the dot after a fully qualified name. */
function hostOf(authority: string): string {
  const colon = authority.indexOf(':', authority.indexOf(']') + 1)
  const host = colon === -1 ? authority : authority.slice(0, colon)
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/**
 * Reports whether a name is a host in the form that clients send, without a port. `*` is valid in a host, but no client
 * sends it.
 */
function isHost(name: string): boolean {
  const url = URL.parse(`http://${name}`)
  return url?.hostname === name.toLowerCase() && hostOf(name) === name && !name.includes('*')
}
