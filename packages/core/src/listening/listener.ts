import cluster from 'node:cluster'
import type { Logger } from '@fw/log'
import { withCode } from '@fw/options'
import type { Exchange, ProtocolText, Refusal } from '@fw/types'
import { bind } from './bind.ts'
import type { Binding } from './binding.ts'
import type { CertificateSet } from '../tls/certificate-set.ts'
import type { CertificateStore, CertificateUser } from '../tls/certificate-store.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { countConnection, type Traffic } from './traffic.ts'
import type { Http3Listener } from '../http3/engine.ts'
import { describeFds, listenError } from './listen-error.ts'
import type { Limits } from '../options/limits.ts'
import type { ProxyProtocolOptions } from '../options/proxy-protocol-options.ts'
import { StartupError } from '../options/startup-error.ts'
import type { TicketSecret } from '../tls/ticket-keys.ts'
import { TcpListener } from './tcp-listener.ts'
import type { TlsCredentials } from '../tls/credentials.ts'
import type { AddressInfo } from 'node:net'

/** Address at which clients can reach a listener. */
export interface ListenerAddress {
  /** `http://` or `https://` with host and port; `http+unix://` with the percent-encoded path of a Unix socket. */
  readonly url: URL
  /** IP address to which the listener is bound; `undefined` for a Unix socket. */
  readonly host: string | undefined
  /** TCP port, and UDP port for HTTP/3; `undefined` for a Unix socket. */
  readonly port: number | undefined
  /** Path of the Unix socket; `undefined` for a port. */
  readonly path: string | undefined
  /** Protocols that the listener accepts, such as `HTTP/1.1`. */
  readonly protocols: readonly ProtocolText[]
}

/** Options for a listener: address, protocols and handlers. */
export interface ListenerOptions {
  readonly binding: Binding
  /** Bound socket for connections, if another process has opened it. */
  readonly handle?: object | undefined
  /** Secret for session tickets, shared with the other processes that serve the port. */
  readonly ticketSecret?: TicketSecret | undefined
  readonly certificates: CertificateStore | undefined
  readonly logger: Logger
  readonly http2: boolean
  readonly http3: boolean | 'clear'
  readonly limits: Limits
  /** The proxies that send a PROXY header; `undefined` if none does. */
  readonly proxyProtocol: ProxyProtocolOptions | undefined
  /** Reports whether connections that open now may send extended CONNECT. */
  readonly allowsTunnels: () => boolean
  readonly onRequest: (exchange: Exchange) => void
  readonly onRefused: (refusal: Refusal) => void
}

/** Maximum number of attempts to find a free TCP port whose UDP port is also free. */
const PORT_TRIES = 20
/** Number of seconds that a browser can remember the HTTP/3 endpoint (RFC 7838 §3.1). */
const ALT_SVC_MAX_AGE_S = 3600

/** Sockets opened by one `listen` call: a TCP port and, for HTTP/3, the UDP port with the same number. */
export class Listener implements CertificateUser {
  readonly address: ListenerAddress
  readonly #tcp: TcpListener
  readonly #http3: Http3Listener | undefined
  #detach: (() => void) | undefined = undefined

  private constructor(address: ListenerAddress, tcp: TcpListener, http3: Http3Listener | undefined) {
    this.address = address
    this.#tcp = tcp
    this.#http3 = http3
  }

  /**
   * Opens the sockets.
   *
   * @throws {StartupError} if a socket cannot be opened or HTTP/3 is not available
   */
  static async open(options: ListenerOptions): Promise<Listener> {
    const certificates = options.certificates?.current
    const hasHttp3 = options.http3 === true
    if (hasHttp3 && certificates === undefined) {
      throw withCode(
        'FW_HTTP3_UNAVAILABLE',
        new StartupError('HTTP/3 needs TLS. Set tls, or omit http3 for this listener'),
      )
    }
    for (let attempt = 1; ; attempt++) {
      // Bind TCP first, because binding the UDP port does not fail if another process uses only the TCP port.
      const host = new MutableHost(options)
      const { binding, http2, ticketSecret, proxyProtocol } = options
      const tcp = new TcpListener({ host, tls: certificates, http2, ticketSecret, proxyProtocol })
      if (binding.kind === 'fd') options.logger.debug('Listening on the passed {}', describeFds(binding.streams))
      const others = await bind(tcp, binding, options.handle)
      try {
        const credentials = hasHttp3 ? certificates?.first : undefined
        const http3 = credentials === undefined ? undefined : await openHttp3(binding, credentials, host, tcp, others)
        const listener = new Listener(listenerAddress(options, tcp), tcp, http3)
        if (certificates !== undefined) listener.#detach = options.certificates?.attach(listener, certificates)
        return listener
      } catch (error) {
        tcp.destroy()
        const isTaken = (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
        if (isTaken && binding.kind === 'port' && binding.port === 0 && attempt < PORT_TRIES) continue
        throw listenError(error, binding, ' (UDP)')
      }
    }
  }

  checkCertificates({ first }: CertificateSet): void {
    this.#http3?.checkCredentials(first)
  }

  useCertificates(next: CertificateSet): void {
    this.#http3?.setCredentials(next.first)
    this.#tcp.useCertificates(next)
  }

  /** Adds the open connections, and their requests, to the counts. */
  count(traffic: Traffic): void {
    const add = (connection: Drainable): void => countConnection(connection, traffic)
    this.#tcp.eachConnection(add)
    this.#http3?.eachConnection(add)
  }

  /** Stops accepting connections. Resolves when every connection has ended. */
  async drain(): Promise<void> {
    this.#detach?.()
    await Promise.all([this.#tcp.drain(), this.#http3?.drain()])
  }

  /** Destroys every connection immediately. */
  destroy(): void {
    this.#detach?.()
    this.#tcp.destroy()
    void this.#http3?.destroy()
  }
}

/** Gives the engines access to the server. `altSvc` is set once the UDP port is known. */
class MutableHost implements EngineHost {
  altSvc = ''
  readonly logger: Logger
  readonly limits: Limits
  readonly allowsTunnels: () => boolean
  readonly onRequest: (exchange: Exchange) => void
  readonly onRefused: (refusal: Refusal) => void

  constructor(options: ListenerOptions) {
    this.logger = options.logger
    // RFC 7838 §3.1: `clear` applies to the whole origin, so send it only over TLS.
    if (options.http3 === 'clear' && options.certificates !== undefined) this.altSvc = 'clear'
    this.limits = options.limits
    this.allowsTunnels = options.allowsTunnels
    this.onRequest = options.onRequest
    this.onRefused = options.onRefused
  }
}

/** @param passed Descriptors that were passed with the TCP socket */
async function openHttp3(
  binding: Binding,
  credentials: TlsCredentials,
  host: MutableHost,
  tcp: TcpListener,
  passed: readonly number[],
): Promise<Http3Listener> {
  const bound = tcp.address()
  if (typeof bound === 'string') {
    throw withCode(
      'FW_HTTP3_UNAVAILABLE',
      new StartupError('HTTP/3 needs a port, and a Unix socket has none. Set port instead of path'),
    )
  }
  // Load the HTTP/3 engine only here, because a server without HTTP/3 does not need it.
  const { listenHttp3 } = await import('../http3/engine.ts')
  const fd = binding.kind === 'fd' ? (binding.udp ?? passed[0]) : undefined
  const http3 = await listenHttp3({
    key: credentials.key,
    cert: credentials.cert,
    host: bound.address,
    port: bound.port,
    // Workers of one primary share its TCP port. They can share the UDP port only with SO_REUSEPORT.
    reusePort: cluster.isWorker || (binding.kind === 'port' && binding.reusePort),
    fd,
    engineHost: host,
  })
  const { family, port, address } = http3.address
  if (family !== bound.family) {
    await http3.destroy()
    throw withCode(
      'FW_INVALID_DESCRIPTOR',
      new StartupError(
        `Cannot listen on descriptor ${fd}: it uses ${family}, but the TCP socket uses ${bound.family}. Pass two sockets of the same address family`,
      ),
    )
  }
  host.logger.info('QUIC endpoint on {} port {}, announced in alt-svc', address, port)
  host.altSvc = `h3=":${port}"; ma=${ALT_SVC_MAX_AGE_S}`
  return http3
}

function listenerAddress(options: ListenerOptions, tcp: TcpListener): ListenerAddress {
  const protocols: ProtocolText[] = ['HTTP/1.1']
  if (options.http2) protocols.push('HTTP/2.0')
  if (options.http3 === true) protocols.push('HTTP/3.0')
  const bound = tcp.address()
  if (typeof bound === 'string') {
    const url = new URL(`http+unix://${encodeURIComponent(bound)}/`)
    return { url, host: undefined, port: undefined, path: bound, protocols }
  }
  const url = listenerUrl(options.certificates === undefined ? 'http' : 'https', bound)
  return { url, host: bound.address, port: bound.port, path: undefined, protocols }
}

/**
 * Returns the URL at which clients on this machine reach a bound port. Omits the zone of a link-local address, which a
 * URL cannot contain.
 */
export function listenerUrl(scheme: 'http' | 'https', { address, family, port }: AddressInfo): URL {
  const isAny = address === '::' || address === '0.0.0.0'
  const name = isAny ? 'localhost' : family === 'IPv6' ? `[${address.replace(/%.*$/, '')}]` : address
  return new URL(`${scheme}://${name}:${port}/`)
}
