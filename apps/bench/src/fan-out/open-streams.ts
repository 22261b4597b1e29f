import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { nextMessage } from '../next-message.ts'
import { LOAD_PROCESSOR, onProcessor } from '../processors.ts'
import { ServerProcess } from '../server-process.ts'
import type { Usage } from './serve.ts'

const CLIENTS = fileURLToPath(new URL('./clients.ts', import.meta.url))

/** A server with many streams that are open, and the process of its clients. Leaving the scope ends both. */
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
   * @param name A program of `servers`
   * @throws {Error} if the server or its clients end
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

  /** Resident memory of the server for each stream. */
  async kibEach(): Promise<number> {
    const { rssBytes } = await usageOf(this.#server)
    return (rssBytes - this.#rssBytesBefore) / this.#count / 1024
  }

  /** Lets the server collect its garbage. */
  collect(): void {
    this.#server.notify('collect')
  }

  /**
   * Sends events to every stream, again and again; each time it waits until every client has every one of them.
   *
   * @param events In one turn of the server
   * @throws {Error} if the server or its clients end
   * @returns Microseconds of the server's processor time for each delivered event, broadcast by broadcast
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

/** On the processor of the load. */
function startClients(port: number, count: number): ChildProcess {
  const [taskset, ...words] = onProcessor(LOAD_PROCESSOR)
  const options = taskset === undefined ? {} : { execPath: taskset, execArgv: [...words, process.execPath] }
  return fork(CLIENTS, [String(port), String(count)], options)
}

async function usageOf(server: ServerProcess): Promise<Usage> {
  const { usage } = (await server.ask('usage')) as { readonly usage: Usage }
  return usage
}
