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
import { BODY_TYPES } from './body-types.ts'
import { LIMIT_KINDS, type Limits } from './limits.ts'
import { ROUTING_KINDS, type RoutingOptions } from './routing-options.ts'
import { MAX_TIMER_MS } from './timer.ts'
import { TLS, type TlsOptions } from './tls-options.ts'

/** Settings of a server, for all its listeners. */
export interface ServerOptions {
  /** Certificates and their keys; with them listeners speak TLS unless they say otherwise. */
  readonly tls?: TlsOptions
  /** Offer HTTP/2: by ALPN over TLS, by prior knowledge in clear text. On by default. */
  readonly http2?: boolean
  /**
   * Offer HTTP/3 on the UDP port of the same number, for TLS listeners. Needs the package `@matrixai/quic`. Off by
   * default. `'clear'`: off, and clients that remember it are told to forget it (RFC 7838 §3), for a server that had it.
   */
  readonly http3?: boolean | 'clear'
  /** Replacements for `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>
  /**
   * Media types of bodies that `ctx.json()` and the `body` schemas of routes accept, unless the route names others.
   * Default: `['application/json']`, which stands for every JSON format. Any other body gets 415. See `RouteOptions`.
   */
  readonly bodyTypes?: readonly string[] | undefined
  /** How paths are compared with the patterns of routes: as they are, unless given. */
  readonly routing?: RoutingOptions
  /**
   * Which proxies are believed about the address of a client: none (the default), those in these CIDR blocks, or so many
   * hops, the peer being the first; as `{ proxies, header }` with the one field that they maintain. `ctx.clientAddress` and
   * the access log follow it. The peer of a Unix socket is trusted if any proxy is. Set it to `false` without a proxy: if
   * it is absent, the access log shows the address that a client claims.
   */
  readonly trustProxy?: TrustProxy
  /** Takes the server's own records; the global logger of `@fw/log` unless given. */
  readonly logger?: Logger
  /**
   * `'signals'` closes the server on SIGINT or SIGTERM, then ends the process, even if timers of the application still run.
   * A second signal ends the process immediately. Under `node --watch`, running requests are aborted. Off by default.
   */
  readonly shutdown?: 'signals'
  /** Time in milliseconds that running requests have after `close()` or a signal. Default 10,000. */
  readonly drainMs?: number
}

/** The kinds of the options that `Server` and `listen` share. */
export const PROTOCOL_KINDS: OptionKinds<Pick<ServerOptions, 'http2' | 'http3' | 'tls'>> = {
  tls: TLS,
  http2: flag,
  http3: withFix(oneOf(true, false, 'clear'), 'Use true to offer HTTP/3.'),
}

const SERVER_KINDS: OptionKinds<ServerOptions> = {
  ...PROTOCOL_KINDS,
  limits: options<Partial<Limits>>(LIMIT_KINDS),
  bodyTypes: BODY_TYPES,
  routing: options<RoutingOptions>(ROUTING_KINDS),
  // `compileTrust` checks it.
  trustProxy: anything,
  logger: withFix(
    objectWith('a logger of @fw/log', 'with', 'withLocation'),
    'Pass what log.with({ … }) returns, or omit it to use the global logger.',
  ),
  shutdown: withFix(oneOf('signals'), 'Omit it to handle signals yourself.'),
  drainMs: integer(0, MAX_TIMER_MS),
}

/** What to write instead of names that belong elsewhere or come from other libraries. */
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
 * Checks the options of a server.
 *
 * @throws {TypeError} if an option does not exist or a value has the wrong type
 * @throws {RangeError} if a limit or the number of proxies is out of range
 */
export function checkServerOptions(given: ServerOptions): ServerOptions {
  checkOptions('Server', given, SERVER_KINDS, MEANT_OF_SERVER)
  if (given.trustProxy !== undefined) compileTrust(given.trustProxy, 'Server')
  return given
}
