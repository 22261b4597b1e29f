import { compileTrust, type TrustProxy } from '@fw/client-address'
import type { Logger } from '@fw/log'
import {
  anything,
  checkOptions,
  flag,
  integer,
  objectWith,
  oneOf,
  type OptionKinds,
  options,
  withFix,
} from '@fw/options'
import { ALLOWED_HOSTS } from './allowed-hosts.ts'
import { BODY_TYPES } from './body-types.ts'
import { CHECK_RESPONSES } from './check-responses.ts'
import { LIMIT_KINDS, type Limits } from './limits.ts'
import { ROUTING_KINDS, type RoutingOptions } from './routing-options.ts'
import { MAX_TIMER_MS } from './timer.ts'
import { TLS, type TlsOptions } from './tls-options.ts'

/** Options of `new Server()`. They apply to all its listeners. */
export interface ServerOptions {
  /** Sets the certificates and keys. Every listener then uses TLS, except one with `tls: false`. Default: no TLS. */
  readonly tls?: TlsOptions
  /** Offers HTTP/2: negotiated by ALPN over TLS, by prior knowledge without TLS. Default true. */
  readonly http2?: boolean
  /**
   * Offers HTTP/3 on the UDP port with the same number as the TCP port. Requires TLS and the package `@matrixai/quic`.
   * Default false. `'clear'` turns HTTP/3 off and sends `alt-svc: clear` (RFC 7838 §3), so that clients stop using a
   * cached HTTP/3 address.
   */
  readonly http3?: boolean | 'clear'
  /** Replaces individual limits. The other limits keep their values from `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>
  /**
   * Limits the media types of bodies that `ctx.json()`, `ctx.request.json()` and route `body` schemas accept. Any other body
   * gets 415. Default `['application/json']`, which includes every JSON format. A route can override this; see `RouteOptions`.
   */
  readonly bodyTypes?: readonly string[] | undefined
  /**
   * Checks JSON results against the `response` schemas of their routes. `'error'` responds with 500 if a result does not match.
   * `'count'` sends and counts such a result, and checks only a sample. `'off'` checks nothing. Default `'count'` if `NODE_ENV`
   * is `production` when the server is created, otherwise `'error'`. A route can override this; see `RouteOptions`.
   */
  readonly checkResponses?: 'error' | 'count' | 'off' | undefined
  /** Sets the rules for trailing slashes and case in paths. Default: exact, case-sensitive match. */
  readonly routing?: RoutingOptions
  /**
   * Sets the proxies whose forwarding fields are trusted: `false` (default), a list of CIDR blocks, or a number of hops where
   * the peer is hop 1. Use `{ proxies, header }` to name the only field to read. `ctx.clientAddress` and the access log use the
   * result. The peer of a Unix socket is trusted if any proxy is trusted. Without a proxy, set this option to `false`
   * explicitly: if it is absent, the access log shows the address that the client claims.
   */
  readonly trustProxy?: TrustProxy
  /**
   * Limits the hosts that requests can name in `Host` or `:authority`. Requests for other hosts get 421 before any middleware
   * runs. Ports and letter case do not matter; `.example.org` includes its subdomains. Without this option, links that handlers
   * build from `request.url` can lead to any host. A page can also reach a local server under the page's host name (DNS
   * rebinding). Default: every host.
   */
  readonly allowedHosts?: readonly string[]
  /** Receives the server's own records. Default: the global logger of `@fw/log`. */
  readonly logger?: Logger
  /**
   * `'signals'` closes the server on SIGINT or SIGTERM, then ends the process, even if application timers are still running. A
   * second signal ends the process immediately. Under `node --watch`, in-flight requests are aborted. Default: signals are left
   * to the application.
   */
  readonly shutdown?: 'signals'
  /**
   * Limits the time that in-flight requests have to finish after `close()` or a signal, in milliseconds. Default 10,000.
   */
  readonly drainMs?: number
}

/** Kinds for the options that `Server` and `listen` share. */
export const PROTOCOL_KINDS: OptionKinds<Pick<ServerOptions, 'http2' | 'http3' | 'tls'>> = {
  tls: TLS,
  http2: flag,
  http3: withFix(oneOf(true, false, 'clear'), 'Use true to offer HTTP/3.'),
}

const SERVER_KINDS: OptionKinds<ServerOptions> = {
  ...PROTOCOL_KINDS,
  limits: options<Partial<Limits>>(LIMIT_KINDS),
  bodyTypes: BODY_TYPES,
  checkResponses: CHECK_RESPONSES,
  routing: options<RoutingOptions>(ROUTING_KINDS),
  // `compileTrust` checks this option.
  trustProxy: anything,
  allowedHosts: ALLOWED_HOSTS,
  logger: withFix(
    objectWith('a logger from @fw/log', 'with', 'withLocation'),
    'Pass what log.with({ … }) returns, or omit it to use the global logger.',
  ),
  shutdown: withFix(oneOf('signals'), 'Omit it to handle signals yourself.'),
  drainMs: integer(0, MAX_TIMER_MS),
}

/** Replacements to suggest for names that belong elsewhere or come from other libraries. */
const MEANT_OF_SERVER: Readonly<Record<string, string>> = {
  port: 'listen({ port })',
  host: 'listen({ host })',
  workers: 'listen({ workers })',
  https: 'tls: { keyFile, certFile }',
  key: 'tls: { key, cert }',
  cert: 'tls: { key, cert }',
  bodyLimit: 'limits: { maxBodyBytes }',
  maxBodyBytes: 'limits: { maxBodyBytes }',
  requestTimeout: 'limits: { requestTimeoutMs }',
  keepAliveTimeout: 'limits: { keepAliveTimeoutMs }',
  ignoreTrailingSlash: `routing: { trailingSlash: 'ignore' }`,
}
/**
 * Checks server options.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if a limit or the number of proxies is out of range
 */
export function checkServerOptions(given: ServerOptions): ServerOptions {
  checkOptions('Server', given, SERVER_KINDS, MEANT_OF_SERVER)
  if (given.trustProxy !== undefined) compileTrust(given.trustProxy, 'Server')
  return given
}
