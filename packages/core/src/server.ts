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
import { serverStats, type ServerStats } from './server-stats.ts'
import { startRuntimeRecords } from './lifecycle/runtime-records.ts'
import { drain } from './lifecycle/drain.ts'
import { endProcess, onShutdownSignal } from './lifecycle/shutdown-signals.ts'
import type { TlsOptions } from './options/tls-options.ts'
import type { OpenListener, Place, ServerHooks } from './workers/open-listener.ts'

/** Location of the server's own records. Their file names would not help the reader of a log. */
const LIBRARY = { file: 'fw:core', line: 0, functionName: '' } as const

/** Default of `drainMs`: enough for most requests, and as long as `docker stop` waits. */
const DRAIN_MS = 10_000

/**
 * An HTTP server: one router, any number of listeners, HTTP/1.1, HTTP/2 and HTTP/3 alike.
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
  /** Each with what ends its listening to a signal. */
  readonly #listeners = new Map<OpenListener, () => void>()
  /** By the option that names them: listeners with the server's certificates share them. */
  readonly #certificates = new Map<TlsOptions, Promise<CertificateStore>>()
  #closing: Promise<void> | undefined = undefined
  #ignoreSignals: (() => void) | undefined = undefined
  #stopRecords: (() => void) | undefined = undefined
  /** Runs what writes to the log. */
  #record: (write: () => void) => void = (write) => write()

  /**
   * @throws {TypeError} if an option does not exist or a value has the wrong type
   * @throws {RangeError} if a limit or the number of proxies is out of range
   */
  constructor(options: ServerOptions = {}) {
    this.#options = checkServerOptions(options)
    this.#limits = resolveLimits(options.limits)
    this.#logger = (options.logger ?? globalLogger).with({ component: '@fw/core' }).withLocation(LIBRARY)
    this.#app = new App({
      limits: this.#limits,
      bodyTypes: options.bodyTypes,
      trustProxy: options.trustProxy,
      ...(options.routing === undefined ? {} : { routing: options.routing }),
      onError: (message, error) => this.#logger.error('{}: {}', message, error),
      onNotice: (message) => this.#logger.debug('{}', message),
    })
  }

  /** Where handlers and middleware are registered. */
  router(): Router {
    return this.#app.router
  }

  /**
   * Opens a listener; may be called several times for several ports.
   *
   * @param where A TCP port, or what to listen on
   * @throws {StartupError} with one line that says what to do: port in use, unreadable certificate, HTTP/3 missing
   * @throws {TypeError} if an option does not exist, has a value of the wrong type or excludes another one
   * @throws {RangeError} if a number is out of range
   */
  listen(where?: number | ListenOptions): Promise<ListenerAddress>
  async listen(where: number | ListenOptions = 0, ...rest: readonly unknown[]): Promise<ListenerAddress> {
    if (rest.length > 0) {
      const fix = 'Await listen() instead of passing a callback.'
      throw new TypeError(`listen: arguments must be a port or options, got ${rest.length + 1} arguments. ${fix}`)
    }
    const options = checkListenOptions(where)
    const { signal } = options
    signal?.throwIfAborted()
    if (this.#isClosing()) throw new Error('Cannot listen: the server is closed')
    const tls = options.tls === undefined ? this.#options.tls : options.tls
    this.#stopRecords ??= startRuntimeRecords(this.#logger)
    const http3 = options.http3 ?? (tls !== undefined && tls !== false && (this.#options.http3 ?? false))
    const open = async (place: Place): Promise<OpenListener> =>
      await Listener.open({
        ...place,
        certificates: tls === undefined || tls === false ? undefined : await this.#certificatesOf(tls),
        logger: this.#logger,
        http2: options.http2 ?? this.#options.http2 ?? true,
        http3,
        limits: this.#limits,
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
    // Both may have happened while the sockets were being opened.
    if (this.#isClosing() || signal?.aborted === true) {
      listener.destroy()
      signal?.throwIfAborted()
      throw new Error('Cannot listen: the server is closed')
    }
    const onAbort = (): void => void this.#closeListener(listener, this.#drainMs, false)
    this.#listeners.set(listener, () => signal?.removeEventListener('abort', onAbort))
    signal?.addEventListener('abort', onAbort, { once: true })
    if (listener.record !== undefined) this.#record = listener.record.bind(listener)
    if (this.#options.shutdown === 'signals') this.#ignoreSignals ??= onShutdownSignal(this.#onSignal)
    const { url, protocols } = listener.address
    this.#logger.info('Listening on {} ({})', url.href, protocols.join(', '))
    if (this.#options.http3 === true && options.http3 === undefined && tls === undefined) {
      this.#logger.warn('HTTP/3 needs TLS, which {} has not: give tls, or say tls: false if that is meant', url.href)
    }
    return listener.address
  }

  /** The first listener's address. @throws {Error} if the server does not listen */
  address(): ListenerAddress {
    const [first] = this.#listeners.keys()
    if (first === undefined) throw new Error('Cannot tell the address: the server does not listen')
    return first.address
  }

  /** The first listener's URL. @throws {Error} if the server does not listen */
  get url(): URL {
    return this.address().url
  }

  /**
   * Reports what the server holds and has refused, at the cost of looking at each connection for which something is held.
   *
   * Figures are of this process: in a worker of that worker, in the primary of workers of the primary, which serves none.
   */
  stats(): ServerStats {
    return serverStats(this.#limits)
  }

  /**
   * Answers a request without a socket, through the same routes.
   *
   * @param input A path, an absolute URL or a `Request`
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    return this.#app.fetch(input, init)
  }

  /**
   * Loads the certificates of all listeners again. New connections have the new ones, over TCP and QUIC; those that
   * stand go on. Where something is wrong with them, the old ones stay, and the log has an Error record too. In the
   * primary of workers: in all of them; in a worker: in this one.
   *
   * @throws {StartupError} saying which certificate cannot be used, and why; and by which workers
   */
  async reloadTls(): Promise<void> {
    const stores = await Promise.all(this.#certificates.values())
    // Each worker reloads what all its listeners have, so that one of them is enough.
    const shared = [...this.#listeners.keys()].find((listener) => listener.reloadTls !== undefined)
    const results = await Promise.allSettled([...stores.map((store) => store.reload()), shared?.reloadTls?.()])
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /**
   * Accepts nothing more, lets running requests finish, and closes. What has not ended by then is destroyed.
   * A later call waits for the first. A handler that calls this must not await it: it would wait for itself.
   *
   * @throws {TypeError} if an option does not exist or has the wrong type, or the argument is a callback
   * @throws {RangeError} if `drainMs` is not an integer that a timer accepts
   */
  close(options: CloseOptions = {}): Promise<void> {
    const { drainMs = this.#drainMs } = checkCloseOptions(options)
    return (this.#closing ??= this.#close(drainMs))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  get #drainMs(): number {
    return this.#options.drainMs ?? DRAIN_MS
  }

  /** What nobody listens with any more needs no looking after. */
  #stopRecordsIfIdle(): void {
    if (this.#listeners.size > 0) return
    this.#stopRecords?.()
    this.#stopRecords = undefined
  }

  #isClosing(): boolean {
    return this.#closing !== undefined
  }

  async #close(drainMs: number): Promise<void> {
    this.#record(() => this.#logger.info('Closing; running requests have {} ms to finish', drainMs))
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
    // Another `listen` may find the files in order.
    opened.catch(() => this.#certificates.delete(tls))
    return opened
  }

  async #closeListener(listener: OpenListener, drainMs: number, whole: boolean): Promise<void> {
    const { href } = listener.address.url
    try {
      await drain(listener, drainMs, whole, () => {
        this.#record(() => this.#logger.warn('What still runs on {} after {} ms is cut off', href, drainMs))
      })
    } finally {
      this.#listeners.get(listener)?.()
      this.#listeners.delete(listener)
    }
  }

  async #open(options: ListenOptions, http3: boolean, open: ServerHooks['open']): Promise<OpenListener> {
    const { workers } = options
    if (workers === undefined) return open({ binding: bindingOf(options) })
    // Loaded only here: who serves from one process needs none of it.
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
    this.#logger.debug('Refused a request from {}: {} {}', refusal.remoteAddress, refusal.status, refusal.reason)
    this.#app.refused(refusal)
  }

  readonly #onSignal = (signal: NodeJS.Signals): Promise<void> => {
    this.#record(() => this.#logger.info('Received {}', signal))
    // `node --watch` sets this variable, and waits for the end of the process before it restarts it.
    const isWatched = process.env['WATCH_REPORT_DEPENDENCIES'] !== undefined
    return this.close(isWatched ? { drainMs: 0 } : {}).catch((error: unknown) => {
      this.#logger.error('Closing failed: {}', error)
    })
  }
}
