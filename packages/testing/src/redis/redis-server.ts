import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { createClient, type RedisClientType } from 'redis'
import { tempFolder, type TempFolder } from '../temp-folder.ts'

/** Time limit for a response to a test's own command. */
const RESPONSE_MS = 30_000

/** The running servers. */
const servers = new Set<ChildProcess>()
// A failed test may have left a server running.
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
})

/**
 * A real Redis that can be killed and restarted with the data on its disk. Listens on a Unix socket in its own folder, because
 * another process could bind its port while it is down.
 */
export class RedisServer implements AsyncDisposable {
  readonly path: string
  readonly #folder: TempFolder
  readonly #options: readonly string[]
  #process: ChildProcess | undefined = undefined

  private constructor(folder: TempFolder, options: readonly string[]) {
    this.path = folder.join('redis.sock')
    this.#folder = folder
    this.#options = options
  }

  /**
   * @param isDurable Whether the server writes to disk before each reply, by default true. Otherwise, it loses its data when it
   *   exits
   */
  static async start(isDurable: boolean = true): Promise<RedisServer> {
    const options = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const server = new RedisServer(await tempFolder(), options)
    await server.restart()
    return server
  }

  /** A client that is not connected yet. */
  get client(): RedisClientType {
    return createClient({ socket: { path: this.path, tls: false } })
  }

  /** Sends a command over a separate connection. @throws if there is no reply */
  async command(...args: string[]): Promise<unknown> {
    const [reply] = await this.#converse([args])
    return reply
  }

  /** Sends commands as one transaction. @throws if there is no reply */
  async transaction(...commands: readonly string[][]): Promise<void> {
    await this.#converse([['MULTI'], ...commands, ['EXEC']])
  }

  async #converse(commands: readonly string[][]): Promise<unknown[]> {
    const client = createClient({
      socket: { path: this.path, tls: false, reconnectStrategy: false },
      commandOptions: { timeout: RESPONSE_MS },
    })
    client.on('error', () => {})
    await client.connect()
    try {
      return await Promise.all(commands.map((command) => client.sendCommand(command)))
    } finally {
      client.destroy()
    }
  }

  /** Kills the server without giving it time to save its data. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const exit = once(running, 'exit')
    running.kill('SIGKILL')
    await exit
  }

  /** Suspends the server. Connections remain open without replies. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  /** Resumes the server. */
  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** Starts the server again. @throws if it does not start */
  async restart(): Promise<void> {
    await this.kill()
    const where = ['--port', '0', '--unixsocket', this.path, '--dir', this.#folder.path, '--save', '']
    // Do not let the server inherit the tests' output. Otherwise, a reader of that output would wait for the server to exit.
    const started = spawn('redis-server', [...where, ...this.#options], { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#process = started
    started.unref()
    servers.add(started)
    started.once('exit', () => servers.delete(started))
    const printed: string[] = []
    for await (const line of createInterface(started.stdout)) {
      if (/ready to accept connections/i.test(line)) {
        started.stdout.resume()
        return
      }
      printed.push(line)
    }
    throw new Error(`Redis did not start:\n${printed.join('\n')}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.#folder[Symbol.asyncDispose]()
  }
}
