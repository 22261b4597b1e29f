import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { tempFolder, type TempFolder } from '@fw/testing'
import { createClient } from 'redis'
import type { RedisClient } from '../src/redis.ts'

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
   * @param isDurable Whether the server writes to disk before each reply. Otherwise, it loses its data when it exits
   */
  static async start(isDurable: boolean): Promise<RedisServer> {
    const options = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const server = new RedisServer(await tempFolder(), options)
    await server.restart()
    return server
  }

  get client(): RedisClient {
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

/** A proxy in front of the server. The proxy can be slow or silently drop all bytes. */
export class CuttableLine implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Bytes per second in each direction. */
  bytesPerSecond = Infinity
  #isCut = false

  private constructor(server: Server) {
    this.#server = server
  }

  /** @param path Path to the server's socket */
  static async to(path: string): Promise<CuttableLine> {
    const server = createServer()
    const line = new CuttableLine(server)
    server.on('connection', (near) => line.#join(near, connect(path)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return line
  }

  get client(): RedisClient {
    const { port } = this.#server.address() as AddressInfo
    return createClient({ socket: { host: '127.0.0.1', port } })
  }

  /** Stops forwarding on existing connections, and accepts new ones without a response. */
  cut(): void {
    this.#isCut = true
  }

  /** Forwards new connections again. Existing ones remain silent. */
  mend(): void {
    this.#isCut = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #join(near: Socket, far: Socket): void {
    let isSilent = this.#isCut
    const pass = (from: Socket, to: Socket) => (chunk: Buffer) => {
      isSilent ||= this.#isCut
      if (isSilent) return
      to.write(chunk)
      if (this.bytesPerSecond === Infinity) return
      from.pause()
      setTimeout(() => from.resume(), (chunk.byteLength / this.bytesPerSecond) * 1000)
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from)
      from.on('data', pass(from, to))
      from.on('error', () => {})
      from.on('close', () => {
        this.#sockets.delete(from)
        if (!isSilent) to.destroy()
      })
    }
  }
}
