import type { Server } from 'node:http'
import { Duplex } from 'node:stream'

/** Keep-alive connections to a server of `node:http` that have no socket: what is asked is pushed, what is answered is counted. */
export class InjectedConnections {
  readonly #server: Server
  readonly #request: Buffer
  readonly #responseEnd: string
  readonly #free: Connection[] = []
  #asked = 0
  #responded = 0

  /**
   * @param request A whole request of any number of fields
   * @param responseEnd What the response, and no earlier piece of it, ends with
   */
  constructor(server: Server, request: string, responseEnd: string) {
    this.#server = server
    this.#request = Buffer.from(request)
    this.#responseEnd = responseEnd
  }

  /** @throws {Error} if a request has no response */
  check(): void {
    if (this.#responded < this.#asked) throw new Error(`${this.#asked - this.#responded} requests have no answer`)
  }

  /** Sends the request on a connection that has nothing to do, a new one if none is free. */
  ask(): void {
    this.#asked++
    const connection = this.#free.pop() ?? this.#open()
    connection.push(this.#request)
  }

  #open(): Connection {
    const connection = new Connection((bytes) => {
      if (!bytes.includes(this.#responseEnd, bytes.length - this.#responseEnd.length)) return
      this.#responded++
      this.#free.push(connection)
    })
    this.#server.emit('connection', connection)
    return connection
  }
}

/** As much of a socket as logs ask for. */
class Connection extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  readonly #onWrite: (bytes: Buffer) => void

  constructor(onWrite: (bytes: Buffer) => void) {
    super()
    this.#onWrite = onWrite
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    callback()
    this.#onWrite(bytes)
  }
}
