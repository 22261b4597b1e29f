import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createClient, type RedisClientType } from 'redis'

/** A proxy in front of a server that can be slow, or silently drop all bytes. */
export class CuttableLine implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  /** Bytes per second in each direction. */
  bytesPerSecond: number = Infinity
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

  /** The URL of the proxy. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `redis://127.0.0.1:${port}`
  }

  /** A client that connects through the proxy, and is not connected yet. */
  get client(): RedisClientType {
    return createClient({ url: this.url })
  }

  /** Stops forwarding on existing connections, and accepts new ones without a response. */
  cut(): void {
    this.#isCut = true
  }

  /** Forwards new connections again. Existing ones stay silent. */
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
