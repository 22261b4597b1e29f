import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { tempFolder, type TempFolder } from '@fw/testing'

/** The running servers. */
const servers = new Set<ChildProcess>()
// A failed test may have left a server running.
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
})

/**
 * A real Redis that can be killed and restarted with the data on its disk. It listens on a Unix socket in its own folder,
 * because another process could bind its port while it is down.
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
   * @param isDurable Whether the server writes to disk before each reply. Otherwise, it loses its data when it exits
   */
  static async start(isDurable: boolean): Promise<RedisServer> {
    const options = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const server = new RedisServer(await tempFolder(), options)
    await server.restart()
    return server
  }

  /** Kills the server, so that it cannot save its data. */
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
    const started = spawn('redis-server', [...where, ...this.#options], { stdio: ['ignore', 'pipe', 'ignore'] })
    this.#process = started
    started.unref()
    servers.add(started)
    started.once('exit', () => servers.delete(started))
    for await (const line of createInterface(started.stdout)) {
      if (/ready to accept connections/i.test(line)) {
        started.stdout.resume()
        return
      }
    }
    throw new Error('Redis did not start')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await this.#folder[Symbol.asyncDispose]()
  }
}
