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
import { PROTOCOL_KINDS } from './server-options.ts'
import type { TlsOptions } from './tls-options.ts'
import { WORKERS, type WorkerOptions } from './worker-options.ts'

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
  /** With `fd` or `systemd`: descriptor of an open UDP socket for HTTP/3. Without it the listener opens one. */
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
  /** `false` to listen without TLS on a server that has a certificate, or a certificate for this listener only. */
  readonly tls?: false | TlsOptions
  /** Replaces the option of the server for this listener. */
  readonly http2?: boolean
  /** Replaces the option of the server for this listener. It needs TLS. */
  readonly http3?: boolean | 'clear'
  /** Closes the listener, with all its connections, when aborted. */
  readonly signal?: AbortSignal
}

/** Longest path of a Unix socket in bytes: `sun_path` without its NUL, on Linux and elsewhere. */
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
    expected: 'true or the name of a socket',
    accepts: (value) => value === true || typeof value === 'string',
  },
  workers: WORKERS,
  pinCpus: flag,
  ...PROTOCOL_KINDS,
  signal: withFix(instanceOf('AbortSignal', AbortSignal), 'Pass the signal of an AbortController.'),
}

/** The options that say where to listen. A listener has one of them. */
const PLACES = ['port', 'path', 'fd', 'systemd'] as const
/** The options that only a port can have. */
const OF_PORTS = ['host', 'reusePort'] as const

/**
 * Checks the argument of `listen`.
 *
 * @throws {TypeError} if an option does not exist, has a value of the wrong type or excludes another one
 * @throws {RangeError} if a number or the length of `path` is out of range
 */
export function checkListenOptions(given: number | ListenOptions): ListenOptions {
  // Text is a port from the environment, and its error says so.
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
  return options
}

/** @throws {TypeError} if an option is given */
function refuse(options: ListenOptions, name: keyof ListenOptions, where: string, fix: string): void {
  if (options[name] === undefined) return
  throw optionError({ api: 'listen', name, expected: `absent ${where}`, got: showValue(options[name]), fix })
}
