import cluster from 'node:cluster'
import { isMainThread } from 'node:worker_threads'
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

/** Options of such a call. */
export interface WorkerListenOptions extends ListenOptions {
  readonly workers: number | 'auto' | WorkerOptions
}

/** Of this process: there is one set of workers, however many servers it has. */
let supervisor: Supervisor | undefined
let link: WorkerLink | undefined
let listens = 0

/**
 * In the primary: starts the workers, which run the same program, and resolves when all of them listen. In a worker:
 * listens on what the primary says.
 *
 * @param http3 Whether the UDP port of the same number is needed
 * @throws {StartupError} if a worker cannot listen, in the primary; a worker that cannot ends
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

/** @throws {StartupError} where there can be no workers */
function checkPrimary(): void {
  if (!isMainThread) throw new StartupError('Cannot start workers from a thread: call listen on the main thread')
  if (cluster.isWorker) {
    throw new StartupError('Cannot start workers: this process is a worker of node:cluster itself. Leave workers out')
  }
  if (process.argv[1] === undefined) {
    throw new StartupError('Cannot start workers: they run the file of the program, and there is none')
  }
}

/** @throws {StartupError} if there are other workers already, or no longer any */
function checkSame(running: Supervisor, settings: WorkerSettings): void {
  if (running.isStopped) {
    throw new StartupError('Cannot start workers again: they run the program from its start. Start another process')
  }
  if (JSON.stringify(running.settings) !== JSON.stringify(settings)) {
    throw new StartupError('All listeners with workers share them: give each the same workers and pinCpus')
  }
}

/** What the workers listen on, as long as the primary keeps it. */
interface Place extends Offer {
  close(): void
}

/** @throws {StartupError} if it cannot be bound */
async function openPlace(options: WorkerListenOptions, udp: boolean, count: number): Promise<Place> {
  const binding = bindingOf(options)
  if (udp && binding.kind !== 'port') {
    throw new StartupError('HTTP/3 with workers needs a port: a socket that was passed cannot be shared')
  }
  if (binding.kind === 'path') await removeStaleSocket(binding.path)
  // The primary accepts connections then, and hands each to the next worker.
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

/** One call of `listen` in the primary. */
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
    // First of all: who connects from now on is to be refused, not kept waiting.
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
}
