import {
  checkOptions,
  instanceOf,
  integer,
  flag,
  optionError,
  type OptionKind,
  type OptionKinds,
  showValue,
  text,
  withFix,
} from '@fw/options'
import { checkProxyProtocol, PROXY_PROTOCOL, type ProxyProtocolOptions } from './proxy-protocol-options.ts'
import { PROTOCOL_KINDS } from './server-options.ts'
import type { TlsOptions } from './tls-options.ts'
import { WORKERS, type WorkerOptions } from './worker-options.ts'

/** Options of `server.listen()`: the listener's address and protocols. */
export interface ListenOptions {
  /** TCP port, and UDP port for HTTP/3. Default 0, which chooses a port that is free for both. */
  readonly port?: number
  /** IP address or host name to bind. Default: all of the machine's addresses. */
  readonly host?: string
  /** Path of a Unix socket to listen on instead of a port. A socket file whose process has ended is replaced. */
  readonly path?: string
  /**
   * Shares the port with other processes that also set this option. The kernel distributes connections and HTTP/3
   * clients among them. Default false.
   */
  readonly reusePort?: boolean
  /** Descriptor of a listening socket to use instead of a port. The listener closes it. */
  readonly fd?: number
  /**
   * Descriptor of an open UDP socket for HTTP/3. Requires `fd` or `systemd`. Default: the listener opens a UDP socket.
   */
  readonly udpFd?: number
  /**
   * Listens on sockets that systemd passes (`LISTEN_FDS`): `true` for all of them, or the `FileDescriptorName` of those
   * to use. Pass one socket for connections and, for HTTP/3, at most one UDP socket.
   */
  readonly systemd?: true | string
  /**
   * Serves from worker processes that run the same program: the number of workers, `'auto'` for one per CPU, or an
   * object with settings. This process then only supervises them. Default: serve in this process.
   */
  readonly workers?: number | 'auto' | WorkerOptions
  /** Binds each worker to its own CPU with the program `taskset`. Requires `workers`. Default false. */
  readonly pinCpus?: boolean
  /**
   * Replaces the server's certificate for this listener; `false` turns TLS off. Default: the server's `tls` option.
   */
  readonly tls?: false | TlsOptions
  /** Overrides the server's `http2` option for this listener. */
  readonly http2?: boolean
  /** Overrides the server's `http3` option for this listener. `true` requires TLS. */
  readonly http3?: boolean | 'clear'
  /**
   * Reads the client's address from the header of the PROXY protocol, which load balancers send before the first byte of the
   * client. HTTP/3 has no such header. Default: no header is read.
   */
  readonly proxyProtocol?: ProxyProtocolOptions
  /** Closes the listener and its connections when aborted. In-flight requests then have the server's `drainMs` to finish. */
  readonly signal?: AbortSignal
}

/** Maximum length of a Unix socket path, in bytes. Equals the size of `sun_path` without its NUL. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103

const SOCKET_PATH: OptionKind = {
  expected: `the path of a Unix socket with 1 to ${MAX_SOCKET_PATH_BYTES} bytes`,
  accepts: (value) => typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_SOCKET_PATH_BYTES,
  isRightType: (value) => typeof value === 'string',
}

const DESCRIPTOR = withFix(integer(0), 'Pass the number of an open file descriptor.')

const LISTEN_KINDS: OptionKinds<ListenOptions> = {
  port: {
    ...integer(0, 65_535),
    fix: (value) =>
      typeof value === 'string' ? 'Convert text first, for example Number(process.env.PORT).' : undefined,
  },
  host: withFix(text, 'Pass an IP address or a host name.'),
  path: SOCKET_PATH,
  reusePort: flag,
  fd: DESCRIPTOR,
  udpFd: DESCRIPTOR,
  systemd: {
    expected: 'true or a socket name',
    accepts: (value) => value === true || typeof value === 'string',
  },
  workers: WORKERS,
  pinCpus: flag,
  ...PROTOCOL_KINDS,
  proxyProtocol: PROXY_PROTOCOL,
  signal: withFix(instanceOf('AbortSignal', AbortSignal), 'Pass the signal of an AbortController.'),
}

/** Mutually exclusive options that choose the address or socket to listen on. */
const PLACES = ['port', 'path', 'fd', 'systemd'] as const
/** Options that apply only to a port. */
const OF_PORTS = ['host', 'reusePort'] as const

/**
 * Checks the argument of `listen`.
 *
 * @throws {TypeError} if an option is unknown, has the wrong type or conflicts with another option
 * @throws {RangeError} if a number or the length of `path` is out of range
 */
export function checkListenOptions(given: number | ListenOptions): ListenOptions {
  // Text is usually a port from the environment. Check it as a port, so that the error suggests Number().
  const options = typeof given === 'number' || typeof given === 'string' ? { port: given } : given
  checkOptions('listen', options, LISTEN_KINDS)
  const [place, ...others] = PLACES.filter((name) => options[name] !== undefined)
  if (place !== undefined) {
    for (const other of others) refuse(options, other, `next to "${place}"`, `Choose one of ${PLACES.join(', ')}.`)
  }
  if (place !== undefined && place !== 'port') {
    for (const name of OF_PORTS) refuse(options, name, `next to "${place}"`, 'Only a port can have it.')
  }
  if (options.workers === undefined) {
    refuse(options, 'pinCpus', 'without "workers"', `Add workers, for example workers: 'auto'.`)
  }
  if (options.fd === undefined && options.systemd === undefined) {
    refuse(options, 'udpFd', 'without "fd" or "systemd"', 'Add the descriptor for connections as fd.')
  }
  if (options.proxyProtocol !== undefined) checkProxyProtocol(options.proxyProtocol, place ?? 'port')
  return options
}

/** @throws {TypeError} if the option is present */
function refuse(options: ListenOptions, name: keyof ListenOptions, where: string, fix: string): void {
  if (options[name] === undefined) return
  throw optionError({ api: 'listen', name, expected: `absent ${where}`, got: showValue(options[name]), fix })
}
