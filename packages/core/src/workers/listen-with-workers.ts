import cluster from 'node:cluster'
import { isMainThread } from 'node:worker_threads'
import { withCode } from '@fw/options'
import { bindingOf, type Binding } from '../listening/binding.ts'
import { listenError } from '../listening/listen-error.ts'
import type { ListenerAddress } from '../listening/listener.ts'
import type { ListenOptions } from '../options/listen-options.ts'
import { StartupError } from '../options/startup-error.ts'
import { removeStaleSocket } from '../listening/unix-socket.ts'
import type { OpenListener, ServerHooks } from './open-listener.ts'
import { PortSockets } from './port-sockets.ts'
import { Supervisor, type Offer } from './supervisor.ts'
import { isWorkerProcess, WorkerLink } from './worker-link.ts'
import { resolveWorkerOptions, type WorkerOptions, type WorkerSettings } from '../options/worker-options.ts'

/** Options of a `listen` call with workers. */
export interface WorkerListenOptions extends ListenOptions {
  readonly workers: number | 'auto' | WorkerOptions
}

/** Supervisor in this process. All servers share one set of workers. */
let supervisor: Supervisor | undefined
let link: WorkerLink | undefined
let listens = 0

/**
 * Listens with worker processes. In the primary, starts the workers, which run the same program, and resolves when all
 * of them are listening. In a worker, listens on the address that the primary sends.
 *
 * @param http3 Whether the UDP port with the same number is also needed
 * @throws {StartupError} in the primary, if a worker cannot listen. A worker that cannot listen exits
 */
export async function listenWithWorkers(
  options: WorkerListenOptions,
  http3: boolean,
  hooks: ServerHooks,
): Promise<OpenListener> {
  const settings = resolveWorkerOptions(options.workers, options.pinCpus ?? false)
  const listen = listens++
  if (isWorkerProcess()) return (link ??= new WorkerLink()).listen(listen, hooks)
  checkPrimary()
  const running = (supervisor ??= new Supervisor(settings, hooks.logger))
  checkSame(running, settings)
  running.join(listen)
  let place: Place | undefined
  try {
    place = await openPlace(options, http3, settings.count)
    const address = await running.serve(listen, place)
    return new PrimaryListener(listen, place, running, { ...address, url: new URL(address.url) })
  } catch (error) {
    place?.close()
    running.refuse(listen, error instanceof Error ? error.message : String(error))
    const withdrawn = running.withdraw(listen, 0, true)
    running.killAfterGrace()
    await withdrawn
    throw error
  }
}

/** @throws {StartupError} if this process cannot have workers */
function checkPrimary(): void {
  if (!isMainThread) {
    throw withCode(
      'FW_WORKERS_UNAVAILABLE',
      new StartupError('Cannot start workers from a worker thread. Call listen() on the main thread'),
    )
  }
  if (cluster.isWorker) {
    throw withCode(
      'FW_WORKERS_UNAVAILABLE',
      new StartupError('Cannot start workers: this process is already a node:cluster worker. Omit the workers option'),
    )
  }
  if (process.argv[1] === undefined) {
    throw withCode(
      'FW_WORKERS_UNAVAILABLE',
      new StartupError('Cannot start workers: the program was not started from a file. Start it with node <file>'),
    )
  }
}

/** @throws {StartupError} if the running workers have other settings, or have ended */
function checkSame(running: Supervisor, settings: WorkerSettings): void {
  if (running.isStopped) {
    throw withCode(
      'FW_WORKERS_UNAVAILABLE',
      new StartupError('Cannot start workers again after they were closed. Restart the program'),
    )
  }
  if (JSON.stringify(running.settings) !== JSON.stringify(settings)) {
    throw withCode(
      'FW_WORKERS_UNAVAILABLE',
      new StartupError('All listeners share one set of workers. Pass the same workers and pinCpus to each'),
    )
  }
}

/** Address that the workers listen on, until the primary closes it. */
interface Place extends Offer {
  close(): void
}

/**
 * Binds the address for the workers.
 *
 * @throws {StartupError} if the address cannot be bound
 */
async function openPlace(options: WorkerListenOptions, udp: boolean, count: number): Promise<Place> {
  const binding = bindingOf(options)
  if (udp && binding.kind !== 'port') {
    throw withCode(
      'FW_HTTP3_UNAVAILABLE',
      new StartupError('HTTP/3 with workers needs a port: the workers cannot share a passed UDP socket. Set port'),
    )
  }
  if (binding.kind === 'path') await removeStaleSocket(binding.path)
  // Without `PortSockets`, the primary accepts the connections and passes each one to the next worker.
  if (binding.kind !== 'port' || !PortSockets.isSupported) return { binding, handle: () => undefined, close: () => {} }
  const { port, host, reusePort } = binding
  try {
    const sockets = await PortSockets.open({ port, host, reusePort, udp, count })
    const bound: Binding = { kind: 'port', port: sockets.port, host: sockets.host, reusePort: true }
    return { binding: bound, handle: (slot) => sockets.handle(slot), close: () => sockets.close() }
  } catch (error) {
    throw listenError(error, binding)
  }
}

/** Represents one `listen` call in the primary. */
class PrimaryListener implements OpenListener {
  readonly address: ListenerAddress
  readonly #listen: number
  readonly #place: Place
  readonly #supervisor: Supervisor

  #drained: Promise<void> | undefined = undefined

  constructor(listen: number, place: Place, running: Supervisor, address: ListenerAddress) {
    this.#listen = listen
    this.#place = place
    this.#supervisor = running
    this.address = address
  }

  drain(drainMs: number, whole: boolean): Promise<void> {
    // Close the sockets first, so that new connections are refused instead of waiting.
    this.#place.close()
    return (this.#drained ??= this.#supervisor.withdraw(this.#listen, drainMs, whole))
  }

  destroy(): void {
    void this.drain(0, false)
    this.#supervisor.killAfterGrace()
  }

  record(write: () => void): void {
    this.#supervisor.record(write)
  }

  reloadTls(): Promise<void> {
    return this.#supervisor.reloadTls(this.#listen)
  }

  restart(): Promise<void> {
    return this.#supervisor.restart()
  }
}
