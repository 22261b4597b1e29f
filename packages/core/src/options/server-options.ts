import type { TrustProxy } from '@fw/client-address'
import type { Logger } from '@fw/log'
import { showValue, checkOptions } from './check-options.ts'
import type { Limits } from './limits.ts'
import type { RoutingOptions } from './routing-options.ts'
import type { TlsOptions } from './tls-options.ts'
import { resolveWorkerOptions, type WorkerOptions } from './worker-options.ts'

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
  /** How paths are compared with the patterns of routes: as they are, unless given. */
  readonly routing?: RoutingOptions
  /**
   * Which proxies are believed about the address of a client: none (the default), those in these CIDR blocks, or so many
   * hops, the peer being the first; as `{ proxies, header }` with the one field that they maintain. `ctx.clientAddress` and
   * the access log follow it.
   */
  readonly trustProxy?: TrustProxy
  /** Takes the server's own records; the global logger of `@fw/log` unless given. */
  readonly logger?: Logger
  /** `'signals'`: SIGINT and SIGTERM close the server; a second one ends the process at once. */
  readonly shutdown?: 'signals'
}

/** Where one listener is bound, and what it speaks. */
export interface ListenOptions {
  /** TCP port, and UDP port for HTTP/3; 0 (the default) takes a free one, the same for both. */
  readonly port?: number
  /** IP address or host name; all addresses of the machine by default. */
  readonly host?: string
  /** Path of a Unix socket, instead of port and host. One that a process left behind is replaced. */
  readonly path?: string
  /** Share the port with other processes that do the same: the system spreads connections and HTTP/3 clients over them. */
  readonly reusePort?: boolean
  /** Descriptor of an open socket that takes connections, instead of port and host. The listener closes it. */
  readonly fd?: number
  /** With `fd` or `systemd`: descriptor of the UDP socket for HTTP/3, if it is not to be opened. */
  readonly udpFd?: number
  /**
   * The socket that systemd passed (`LISTEN_FDS`), or those with this `FileDescriptorName`: one for connections and, for
   * HTTP/3, perhaps one for datagrams.
   */
  readonly systemd?: true | string
  /**
   * Serve in worker processes, which run the same program: so many, or `'auto'` for one on each CPU. In this process
   * `listen` then only looks after them.
   */
  readonly workers?: number | 'auto' | WorkerOptions
  /** Bind each worker to a CPU of its own, by the program `taskset`. */
  readonly pinCpus?: boolean
  /** `false` for clear text on a server with a certificate; or a certificate of this listener's own. */
  readonly tls?: false | TlsOptions
  /** As of the server, for this listener. */
  readonly http2?: boolean
  /** As of the server, for this listener; it needs TLS. */
  readonly http3?: boolean | 'clear'
  /** Closes the listener, with all its connections, when aborted. */
  readonly signal?: AbortSignal
}

/** How a server is closed. */
export interface CloseOptions {
  /** How long running requests may take before their connections are destroyed, 10,000 ms by default. */
  readonly drainMs?: number
}

const SERVER_OPTIONS: readonly string[] = [
  'tls',
  'http2',
  'http3',
  'limits',
  'routing',
  'trustProxy',
  'logger',
  'shutdown',
]
/** What other libraries take here, or under another name. */
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
const LISTEN_OPTIONS: readonly string[] = [
  'port',
  'host',
  'path',
  'reusePort',
  'fd',
  'udpFd',
  'systemd',
  'workers',
  'pinCpus',
  'tls',
  'http2',
  'http3',
  'signal',
]
/** Of these one tells where to listen. */
const PLACES = ['port', 'path', 'fd', 'systemd'] as const
/** Longest path of a Unix socket in bytes: `sun_path` without its NUL, on Linux and elsewhere. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103

/** @throws {TypeError} for an option that does not exist or has the wrong type */
export function checkServerOptions(options: ServerOptions): ServerOptions {
  checkOptions('Server', options, SERVER_OPTIONS, MEANT_OF_SERVER)
  checkProtocols(options)
  checkTls(options.tls, 'Server')
  if (options.logger !== undefined && typeof (options.logger as Partial<Logger> | null)?.with !== 'function') {
    throw new TypeError(
      'Option logger of Server is no logger of @fw/log; it takes what log.with({ … }) gives, and is that of @fw/log without',
    )
  }
  if (options.shutdown !== undefined && options.shutdown !== 'signals') {
    throw new TypeError(`Option shutdown of Server is ${JSON.stringify(options.shutdown)}; it takes 'signals'`)
  }
  return options
}

/** @throws {TypeError} for an option that does not exist or has the wrong type; {RangeError} for a port out of range */
export function checkListenOptions(given: number | ListenOptions): ListenOptions {
  const options = typeof given === 'number' || typeof given === 'string' ? { port: given } : given
  checkOptions('listen', options, LISTEN_OPTIONS)
  checkProtocols(options)
  checkBooleans(options, ['reusePort', 'pinCpus'])
  const { port, path, fd, udpFd, systemd } = options
  if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    const hint = typeof port === 'string' ? `, such as Number(process.env.PORT)` : ''
    throw new RangeError(`Port is ${showValue(port)}; it takes a whole number from 0 to 65535${hint}`)
  }
  if (options.workers !== undefined) resolveWorkerOptions(options.workers, options.pinCpus ?? false)
  else if (options.pinCpus !== undefined) throw new TypeError('Option pinCpus of listen takes workers beside it')
  const [place, other] = PLACES.filter((name) => options[name] !== undefined)
  if (other !== undefined) throw new TypeError(`Options ${place} and ${other} of listen exclude each other`)
  if (place !== undefined && place !== 'port') {
    for (const name of ['host', 'reusePort'] as const) {
      if (options[name] !== undefined) throw new TypeError(`Options ${place} and ${name} of listen exclude each other`)
    }
  }
  if (path !== undefined) checkPath(path)
  if (options.host !== undefined && typeof options.host !== 'string') {
    throw new TypeError(`Option host of listen is ${showValue(options.host)}; it takes an IP address or a host name`)
  }
  checkTls(options.tls, 'listen')
  if (options.signal !== undefined && !((options.signal as unknown) instanceof AbortSignal)) {
    throw new TypeError('Option signal of listen is no AbortSignal; it takes that of an AbortController')
  }
  for (const [name, value] of Object.entries({ fd, udpFd })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) {
      throw new RangeError(`Option ${name} of listen is ${String(value)}; it takes the number of a descriptor`)
    }
  }
  if (udpFd !== undefined && fd === undefined && systemd === undefined) {
    throw new TypeError('Option udpFd of listen takes fd or systemd beside it')
  }
  if (systemd !== undefined && systemd !== true && typeof systemd !== 'string') {
    throw new TypeError('Option systemd of listen takes true or the name of a socket')
  }
  return options
}

/** @throws {TypeError} for an option that does not exist, or another argument */
export function checkCloseOptions(options: CloseOptions): CloseOptions {
  if (typeof options === 'function') {
    throw new TypeError('close takes options such as { drainMs }; await it in place of a callback')
  }
  checkOptions('close', options, ['drainMs'])
  return options
}

function checkTls(tls: unknown, what: string): void {
  if (tls === undefined || tls === false || typeof tls === 'function' || (typeof tls === 'object' && tls !== null))
    return
  // Text is not shown: it may be a private key.
  const given = typeof tls === 'string' ? 'text' : showValue(tls)
  throw new TypeError(`Option tls of ${what} is ${given}; it takes { keyFile, certFile }, or { key, cert } in PEM`)
}

function checkProtocols(options: Pick<ServerOptions, 'http2' | 'http3'>): void {
  const { http3 } = options
  if (http3 !== undefined && typeof http3 !== 'boolean' && http3 !== 'clear') {
    throw new TypeError(`Option http3 is ${showValue(http3)}; it takes true, false or 'clear'`)
  }
  checkBooleans(options, ['http2'])
}

/** Text from the environment would be taken for true, `'false'` too. */
function checkBooleans<N extends string>(options: Readonly<Partial<Record<N, unknown>>>, names: readonly N[]): void {
  for (const name of names) {
    const value = options[name]
    if (value === undefined || typeof value === 'boolean') continue
    throw new TypeError(`Option ${name} is ${showValue(value)}; it takes true or false`)
  }
}

function checkPath(path: string): void {
  if (typeof path !== 'string' || path === '') {
    throw new TypeError(`Option path of listen is ${showValue(path)}; it takes the path of a Unix socket`)
  }
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH_BYTES) return
  throw new RangeError(`Path of a Unix socket has at most ${MAX_SOCKET_PATH_BYTES} bytes: ${path} is too long`)
}
