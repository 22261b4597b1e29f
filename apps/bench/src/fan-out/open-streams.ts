import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nextMessage } from '../next-message.ts'
import { LOAD_CPU, onCpu } from '../cpus.ts'
import { ServerProcess } from '../server-process.ts'
import type { Usage } from './serve.ts'

const CLIENTS = fileURLToPath(new URL('./clients.ts', import.meta.url))

/** Server with many open streams, and the process of its clients. Leaving the scope ends both processes. */
export class OpenStreams implements AsyncDisposable {
  readonly #server: ServerProcess
  readonly #clients: ChildProcess
  readonly #owned: AsyncDisposableStack
  readonly #count: number
  readonly #rssBytesBefore: number

  private constructor(
    server: ServerProcess,
    clients: ChildProcess,
    owned: AsyncDisposableStack,
    count: number,
    rssBytesBefore: number,
  ) {
    this.#server = server
    this.#clients = clients
    this.#owned = owned
    this.#count = count
    this.#rssBytesBefore = rssBytesBefore
  }

  /**
   * Starts a server and opens `count` streams.
   *
   * @param name Name of a program in `servers/`
   * @throws {Error} if the server or its clients exit
   */
  static async at(name: string, count: number): Promise<OpenStreams> {
    const program = fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url))
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await ServerProcess.program([process.execPath, '--expose-gc', program]))
    server.notify('collect')
    const { rssBytes } = await usageOf(server)
    const clients = startClients(server.port, count)
    stack.defer(() => void clients.kill('SIGKILL'))
    await nextMessage(clients)
    return new OpenStreams(server, clients, stack.move(), count, rssBytes)
  }

  /** Returns the server's resident memory per stream, in KiB. */
  async kibEach(): Promise<number> {
    const { rssBytes } = await usageOf(this.#server)
    return (rssBytes - this.#rssBytesBefore) / this.#count / 1024
  }

  /** Triggers a garbage collection in the server. */
  collect(): void {
    this.#server.notify('collect')
  }

  /**
   * Sends events to every stream. Each broadcast waits until every client has received all events.
   *
   * @param events Events per broadcast, sent in one event-loop turn of the server
   * @throws {Error} if the server or its clients exit
   * @returns the server's CPU time per delivered event, in microseconds, for each broadcast
   */
  async broadcast(events: number, broadcasts: number): Promise<readonly number[]> {
    const deliveries = events * this.#count
    const costs: number[] = []
    let before = await usageOf(this.#server)
    for (let n = 0; n < broadcasts; n++) {
      const received = nextMessage(this.#clients)
      this.#clients.send(deliveries, () => {})
      this.#server.notify(events)
      await received
      const after = await usageOf(this.#server)
      costs.push((after.cpuMicros - before.cpuMicros) / deliveries)
      before = after
    }
    return costs
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned.disposeAsync()
  }
}

/** Starts the client process on the CPU of the load generators. */
function startClients(port: number, count: number): ChildProcess {
  const [taskset, ...words] = onCpu(LOAD_CPU)
  const options = taskset === undefined ? {} : { execPath: taskset, execArgv: [...words, process.execPath] }
  return fork(CLIENTS, [String(port), String(count)], options)
}

async function usageOf(server: ServerProcess): Promise<Usage> {
  const { usage } = (await server.ask('usage')) as { readonly usage: Usage }
  return usage
}
