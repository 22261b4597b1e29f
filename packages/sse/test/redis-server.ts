import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tempFolder, type TempFolder } from '@fw/testing'
import { createClient } from 'redis'
import type { RedisClient } from '../src/redis.ts'

/** A real Redis that can be killed and started again with what it had on disk. */
export class RedisServer implements AsyncDisposable {
  readonly port: number
  readonly #folder: TempFolder
  readonly #options: readonly string[]
  #process: ChildProcess | undefined = undefined

  private constructor(port: number, folder: TempFolder, options: readonly string[]) {
    this.port = port
    this.#folder = folder
    this.#options = options
  }

  /** @param isDurable Whether it writes everything to disk before it answers; otherwise it forgets all when it ends */
  static async start(isDurable: boolean): Promise<RedisServer> {
    const options = isDurable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
    const server = new RedisServer(await freePort(), await tempFolder(), options)
    await server.restart()
    return server
  }

  get client(): RedisClient {
    return clientOf(this.port)
  }

  /** Sends a command as an outsider. */
  async command(...args: string[]): Promise<unknown> {
    const [reply] = await this.#converse([args])
    return reply
  }

  /** Sends commands that nothing comes between. */
  async transaction(...commands: readonly string[][]): Promise<void> {
    await this.#converse([['MULTI'], ...commands, ['EXEC']])
  }

  async #converse(commands: readonly string[][]): Promise<unknown[]> {
    const { client } = this
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
    if (running === undefined) return
    this.#process = undefined
    const exit = once(running, 'exit')
    running.kill('SIGKILL')
    await exit
  }

  async restart(): Promise<void> {
    await this.kill()
    const where = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder.path, '--save', '']
    const started = spawn('redis-server', [...where, ...this.#options], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.#process = started
    // The tests must not outlive it, nor it them.
    started.unref()
    for await (const chunk of started.stdout) if (String(chunk).includes('Ready to accept connections')) break
    started.stdout.resume()
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

  static async to(port: number): Promise<CuttableLine> {
    const server = createServer()
    const line = new CuttableLine(server)
    server.on('connection', (near) => line.#join(near, connect(port, '127.0.0.1')))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return line
  }

  get client(): RedisClient {
    return clientOf((this.#server.address() as AddressInfo).port)
  }

  /** Connections that exist go silent; new ones get no answer. */
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

function clientOf(port: number): RedisClient {
  return createClient({ socket: { host: '127.0.0.1', port } })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
