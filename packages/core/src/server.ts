import { withCode } from '@fw/options'
import type { Exchange, Refusal, Router } from '@fw/types'
import { logger as globalLogger, type Logger } from '@fw/log'
import { App } from './app/app.ts'
import { bindingOf } from './listening/binding.ts'
import { CertificateStore } from './tls/certificate-store.ts'
import { resolveLimits, type Limits } from './options/limits.ts'
import { Listener, type ListenerAddress } from './listening/listener.ts'
import { checkCloseOptions, type CloseOptions } from './options/close-options.ts'
import { checkListenOptions, type ListenOptions } from './options/listen-options.ts'
import { checkServerOptions, type ServerOptions } from './options/server-options.ts'
import { noTraffic } from './listening/traffic.ts'
import { StartupError } from './options/startup-error.ts'
import { serverStats, type ServerStats } from './server-stats.ts'
import { startRuntimeRecords } from './lifecycle/runtime-records.ts'
import { drain } from './lifecycle/drain.ts'
import { endProcess, onShutdownSignal } from './lifecycle/shutdown-signals.ts'
import type { TlsOptions } from './options/tls-options.ts'
import type { OpenListener, Place, ServerHooks } from './workers/open-listener.ts'

/** Location of the server's own records. The real file names would not help a reader of the log. */
const LIBRARY = { file: 'fw:core', line: 0, functionName: '' } as const

/** Default of `drainMs`: enough for most requests, and equal to the timeout of `docker stop`. */
const DRAIN_MS = 10_000

/**
 * Serves one router on any number of listeners, over HTTP/1.1, HTTP/2 and HTTP/3.
 *
 * @example
 * const server = new Server()
 * server.router().get('/', () => 'hello')
 * const { url } = await server.listen(8080)
 */
export class Server implements AsyncDisposable {
  readonly #options: ServerOptions
  readonly #limits: Limits
  readonly #logger: Logger
  readonly #app: App
  /** Each listener, with a function that removes its `signal` handler. */
  readonly #listeners = new Map<OpenListener, () => void>()
  /** Certificates by the `tls` option from which they were loaded. Listeners with the same option share them. */
  readonly #certificates = new Map<TlsOptions, Promise<CertificateStore>>()
  #closing: Promise<void> | undefined = undefined
  #ignoreSignals: (() => void) | undefined = undefined
  #stopRecords: (() => void) | undefined = undefined
  /** Calls a function that writes to the log. */
  #record: (write: () => void) => void = (write) => write()

  /**
   * Creates a server without routes. It accepts connections after `listen()`.
   *
   * @throws {TypeError} if an option is unknown or has the wrong type
   * @throws {RangeError} if a limit or the number of proxies is out of range
   */
  constructor(options: ServerOptions = {}) {
    this.#options = checkServerOptions(options)
    this.#limits = resolveLimits(options.limits)
    this.#logger = (options.logger ?? globalLogger).with({ component: '@fw/core' }).withLocation(LIBRARY)
    this.#app = new App({
      limits: this.#limits,
      bodyTypes: options.bodyTypes,
      checkResponses: options.checkResponses,
      trustProxy: options.trustProxy,
      allowedHosts: options.allowedHosts,
      ...(options.routing === undefined ? {} : { routing: options.routing }),
      onError: (message, error) => this.#logger.error('{}: {}', message, error),
      onWarning: (message) => this.#logger.warn('{}', message),
      onNotice: (message) => this.#logger.debug('{}', message),
    })
  }

  /** Returns the router on which handlers and middleware are registered. */
  router(): Router {
    return this.#app.router
  }

  /**
   * Opens a listener. Call it once for each port or socket.
   *
   * @param where TCP port, or options. Default 0, which chooses a free port
   * @throws {StartupError} if the server cannot start, for example because the port is in use, a certificate is
   * unreadable or the HTTP/3 package is missing
   * @throws {TypeError} if an option is unknown, has the wrong type or conflicts with another option
   * @throws {RangeError} if a number is out of range
   * @throws {Error} if the server is closed
   */
  listen(where?: number | ListenOptions): Promise<ListenerAddress>
  async listen(where: number | ListenOptions = 0, ...rest: readonly unknown[]): Promise<ListenerAddress> {
    if (rest.length > 0) {
      const fix = 'Await listen() instead of passing a callback.'
      throw withCode(
        'FW_INVALID_ARGUMENT',
        new TypeError(`listen: arguments must be a port or options, got ${rest.length + 1} arguments. ${fix}`),
      )
    }
    const options = checkListenOptions(where)
    const { signal } = options
    signal?.throwIfAborted()
    if (this.#isClosing())
      throw withCode('FW_SERVER_CLOSED', new Error('Cannot listen: the server is closed. Create a new Server.'))
    const tls = options.tls === undefined ? this.#options.tls : options.tls
    const http3 = options.http3 ?? (tls !== undefined && tls !== false && (this.#options.http3 ?? false))
    if (http3 === true && options.proxyProtocol !== undefined) {
      throw withCode(
        'FW_HTTP3_UNAVAILABLE',
        new StartupError('HTTP/3 has no PROXY protocol. Set http3: false for this listener, or omit proxyProtocol'),
      )
    }
    this.#stopRecords ??= startRuntimeRecords(this.#logger)
    const open = async (place: Place): Promise<OpenListener> =>
      await Listener.open({
        ...place,
        certificates: tls === undefined || tls === false ? undefined : await this.#certificatesOf(tls),
        logger: this.#logger,
        http2: options.http2 ?? this.#options.http2 ?? true,
        http3,
        limits: this.#limits,
        proxyProtocol: options.proxyProtocol,
        allowsTunnels: () => this.#app.hasTunnels,
        onRequest: this.#onRequest,
        onRefused: this.#onRefused,
      })
    let listener: OpenListener
    try {
      listener = await this.#open(options, http3 === true, open)
    } catch (error) {
      this.#stopRecordsIfIdle()
      throw error
    }
    // The server can have been closed, or the signal aborted, while the sockets were being opened.
    if (this.#isClosing() || signal?.aborted === true) {
      listener.destroy()
      signal?.throwIfAborted()
      throw withCode('FW_SERVER_CLOSED', new Error('Cannot listen: the server is closed. Create a new Server.'))
    }
    const onAbort = (): void => void this.#closeListener(listener, this.#drainMs, false)
    this.#listeners.set(listener, () => signal?.removeEventListener('abort', onAbort))
    signal?.addEventListener('abort', onAbort, { once: true })
    if (listener.record !== undefined) this.#record = listener.record.bind(listener)
    if (this.#options.shutdown === 'signals') this.#ignoreSignals ??= onShutdownSignal(this.#onSignal)
    const { url, protocols } = listener.address
    this.#logger.info('Listening on {} ({})', url.href, protocols.join(', '))
    if (this.#options.http3 === true && options.http3 === undefined && tls === undefined) {
      this.#logger.warn('HTTP/3 needs TLS, but {} has none. Set tls, or tls: false to serve without HTTP/3', url.href)
    }
    return listener.address
  }

  /**
   * Returns the address of the first listener.
   *
   * @throws {Error} if the server is not listening
   */
  address(): ListenerAddress {
    const [first] = this.#listeners.keys()
    if (first === undefined) {
      throw withCode(
        'FW_NOT_LISTENING',
        new Error('server.address: the server is not listening. Await server.listen() first.'),
      )
    }
    return first.address
  }

  /**
   * URL of the first listener.
   *
   * @throws {Error} if the server is not listening
   */
  get url(): URL {
    return this.address().url
  }

  /**
   * Returns the open connections, the requests in flight, the buffered bytes, the rejected requests, and the checked
   * responses. Visits each connection, which takes about a millisecond for 10,000 of them.
   *
   * Covers only this process: a worker returns its own figures, and the primary, which serves no requests, returns
   * those of the primary.
   */
  stats(): ServerStats {
    const traffic = noTraffic()
    for (const listener of this.#listeners.keys()) listener.count?.(traffic)
    return serverStats(this.#limits, traffic, this.#app.checkedResponses)
  }

  /**
   * Answers a request with this server's routes, without opening a socket.
   *
   * @param input A path, an absolute URL or a `Request`
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return this.#app.fetch(input, init)
  }

  /**
   * Reloads the certificates of all listeners. New TCP and QUIC connections use the new certificates; open connections
   * continue unchanged. If a certificate cannot be used, the previous ones stay in use and an Error record states the
   * cause. In the primary, this reloads the certificates of all workers; in a worker, only its own.
   *
   * @throws {StartupError} if a certificate cannot be used. The message names the certificate, the cause and the
   * affected workers
   */
  async reloadTls(): Promise<void> {
    const stores = await Promise.all(this.#certificates.values())
    // A worker reloads the certificates of all its listeners, so one message per worker is enough.
    const shared = [...this.#listeners.keys()].find((listener) => listener.reloadTls !== undefined)
    const results = await Promise.allSettled([...stores.map((store) => store.reload()), shared?.reloadTls?.()])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /**
   * Restarts all workers one by one, as SIGHUP to the primary does. Each worker serves until its replacement is ready, so
   * no TCP request fails. Any number of calls during a restart cause one more restart.
   *
   * In the primary, resolves when all workers have been replaced. In a worker, resolves when the request has been sent
   * to the primary, because this worker is also replaced.
   *
   * @throws {StartupError} in the primary, if a replacement could not start. The previous workers continue to serve
   * @throws {Error} if the server has no workers
   */
  async restart(): Promise<void> {
    const shared = [...this.#listeners.keys()].find((listener) => listener.restart !== undefined)
    if (shared?.restart === undefined) {
      throw withCode(
        'FW_WORKERS_UNAVAILABLE',
        new Error('server.restart: the server has no workers. Pass workers to listen().'),
      )
    }
    await shared.restart()
  }

  /**
   * Stops accepting connections, waits up to `drainMs` for in-flight requests, then destroys the rest. Later calls
   * return the promise of the first. Do not await this in a handler, because the request would wait for itself.
   *
   * @throws {TypeError} if an option is unknown or has the wrong type, or if the argument is a callback
   * @throws {RangeError} if `drainMs` is not an integer from 0 to 2,147,483,647
   */
  close(options: CloseOptions = {}): Promise<void> {
    const { drainMs = this.#drainMs } = checkCloseOptions(options)
    return (this.#closing ??= this.#close(drainMs))
  }

  /** Closes the server at the end of an `await using` scope. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #drainMs(): number {
    return this.#options.drainMs ?? DRAIN_MS
  }

  /** Stops the runtime records if no listener remains. */
  #stopRecordsIfIdle(): void {
    if (this.#listeners.size > 0) return
    this.#stopRecords?.()
    this.#stopRecords = undefined
  }

  #isClosing(): boolean {
    return this.#closing !== undefined
  }

  async #close(drainMs: number): Promise<void> {
    this.#record(() => this.#logger.info('Closing; in-flight requests have {} ms to finish', drainMs))
    this.#app.drain()
    await Promise.all(Array.from(this.#listeners.keys(), (listener) => this.#closeListener(listener, drainMs, true)))
    this.#ignoreSignals?.()
    for (const store of await Promise.allSettled(this.#certificates.values())) {
      if (store.status === 'fulfilled') store.value.close()
    }
    this.#stopRecords?.()
    this.#record(() => this.#logger.info('Closed'))
  }

  #certificatesOf(tls: TlsOptions): Promise<CertificateStore> {
    const known = this.#certificates.get(tls)
    if (known !== undefined) return known
    const opened = CertificateStore.open(tls, this.#logger)
    this.#certificates.set(tls, opened)
    // Discard the failed result, so that a later `listen` reads the files again.
    opened.catch(() => this.#certificates.delete(tls))
    return opened
  }

  async #closeListener(listener: OpenListener, drainMs: number, whole: boolean): Promise<void> {
    const { href } = listener.address.url
    try {
      await drain(listener, drainMs, whole, () => {
        this.#record(() => this.#logger.warn('Aborting requests still in progress on {} after {} ms', href, drainMs))
      })
    } finally {
      this.#listeners.get(listener)?.()
      this.#listeners.delete(listener)
    }
  }

  async #open(options: ListenOptions, http3: boolean, open: ServerHooks['open']): Promise<OpenListener> {
    const { workers } = options
    if (workers === undefined) return open({ binding: bindingOf(options) })
    // Load the worker code only here, because a single-process server does not need it.
    const { listenWithWorkers } = await import('./workers/listen-with-workers.ts')
    return listenWithWorkers({ ...options, workers }, http3, this.#hooks(open))
  }

  #hooks(open: ServerHooks['open']): ServerHooks {
    return {
      logger: this.#logger,
      open,
      reloadTls: () => this.reloadTls(),
      close: (listener, drainMs, whole) => {
        const closed = whole ? this.close({ drainMs }) : this.#closeListener(listener, drainMs, false)
        closed
          .catch((error: unknown) => this.#logger.error('Closing failed: {}', error))
          .finally(() => whole && this.#options.shutdown === 'signals' && endProcess())
      },
    }
  }

  readonly #onRequest = (exchange: Exchange): void => {
    this.#app.handle(exchange)
  }

  readonly #onRefused = (refusal: Refusal): void => {
    this.#logger.debug('Rejected a request from {}: {} {}', refusal.remoteAddress, refusal.status, refusal.reason)
    this.#app.refused(refusal)
  }

  readonly #onSignal = (signal: NodeJS.Signals): Promise<void> => {
    this.#record(() => this.#logger.info('Received {}', signal))
    // `node --watch` sets this variable, and waits for the process to end before it restarts it.
    const isWatched = process.env['WATCH_REPORT_DEPENDENCIES'] !== undefined
    return this.close(isWatched ? { drainMs: 0 } : {}).catch((error: unknown) => {
      this.#logger.error('Closing failed: {}', error)
    })
  }
}
