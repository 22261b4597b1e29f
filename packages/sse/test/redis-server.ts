import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { tempFolder, type TempFolder } from '@fw/testing'
import { createClient } from 'redis'
import type { RedisClient } from '../src/redis.ts'

/** How long an outsider waits for a response. */
const RESPONSE_MS = 30_000

/** Those that run. */
const servers = new Set<ChildProcess>()
// A test that failed half-way may have left one.
process.once('exit', () => {
  for (const server of servers) server.kill('SIGKILL')
})

/**
 * A real Redis that can be killed and started again with what it had on disk. It listens on a socket in a folder of its
 * own: a port could be taken by somebody else before it is started, or while it is away.
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

  /** @param isDurable Whether it writes everything to disk before it answers; otherwise it forgets all when it ends */
  static async start(isDurable: boolean): Promise<RedisServer> {
    const options = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const server = new RedisServer(await tempFolder(), options)
    await server.restart()
    return server
  }

  get client(): RedisClient {
    return createClient({ socket: { path: this.path, tls: false } })
  }

  /** Sends a command as an outsider. @throws if there is no response */
  async command(...args: string[]): Promise<unknown> {
    const [reply] = await this.#converse([args])
    return reply
  }

  /** Sends commands that nothing comes between. @throws if there is no response */
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

  /** Ends it without a chance to save anything. */
  async kill(): Promise<void> {
    const running = this.#process
    this.#process = undefined
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return
    const exit = once(running, 'exit')
    running.kill('SIGKILL')
    await exit
  }

  /** Halts it: connections stay, and nothing is answered. */
  pause(): void {
    this.#process?.kill('SIGSTOP')
  }

  /** Lets it go on with what has come meanwhile. */
  resume(): void {
    this.#process?.kill('SIGCONT')
  }

  /** @throws if it does not start */
  async restart(): Promise<void> {
    await this.kill()
    const where = ['--port', '0', '--unixsocket', this.path, '--dir', this.#folder.path, '--save', '']
    // Nothing of the tests is given to it: if it outlived them, whoever reads what they print would wait for its end.
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

/** A line to a server that can be slow, or cut, so that nothing gets through, and nobody is told. */
export class CuttableLine implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** How fast the line is, in either direction. */
  bytesPerSecond = Infinity
  #isCut = false

  private constructor(server: Server) {
    this.#server = server
  }

  /** @param path Of the socket that the server listens on */
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

  /** Connections that exist go silent; new ones get no response. */
  cut(): void {
    this.#isCut = true
  }

  /** New connections work again; the silent ones stay so. */
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
