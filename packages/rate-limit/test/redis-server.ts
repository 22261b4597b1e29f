import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { tempFolder, type TempFolder } from '@fw/testing'
import { createClient } from 'redis'
import type { RedisClient } from '../src/redis.ts'

/** The running servers. */
const servers = new Set<ChildProcess>()
// A failed test may have left a server running.
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
})

/**
 * A real Redis that can be killed and restarted. It keeps its data. It listens on a Unix socket in its own folder, because
 * another process could bind its port while it is down.
 */
export class RedisServer implements AsyncDisposable {
  readonly path: string
  readonly #folder: TempFolder
  #process: ChildProcess | undefined = undefined

  private constructor(folder: TempFolder) {
    this.path = folder.join('redis.sock')
    this.#folder = folder
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await tempFolder())
    await server.restart()
    return server
  }

  get client(): RedisClient {
    return createClient({ socket: { path: this.path, tls: false } })
  }

  /** Sends a command over a separate connection. @throws if there is no reply */
  async command(...args: string[]): Promise<unknown> {
    const client = createClient({ socket: { path: this.path, tls: false, reconnectStrategy: false } })
    client.on('error', () => {})
    await client.connect()
    try {
      return await client.sendCommand(args)
    } finally {
      client.destroy()
    }
  }

  /** Kills the server. */
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
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always']
    // Do not let the server inherit the tests' output. Otherwise, a reader of that output would wait for the server to exit.
    const started = spawn('redis-server', [...where, ...durable], { stdio: ['ignore', 'pipe', 'ignore'] })
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
