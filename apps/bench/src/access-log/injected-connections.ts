import type { Server } from 'node:http'
import { Duplex } from 'node:stream'

/** Keep-alive connections to a `node:http` server without sockets. Pushes the requests and counts the responses. */
export class InjectedConnections {
  readonly #server: Server
  readonly #request: Buffer
  readonly #responseEnd: string
  readonly #free: Connection[] = []
  #sent = 0
  #responded = 0

  /**
   * @param request Complete request
   * @param responseEnd Text at the end of the last write of a response, but not of an earlier one
   */
  constructor(server: Server, request: string, responseEnd: string) {
    this.#server = server
    this.#request = Buffer.from(request)
    this.#responseEnd = responseEnd
  }

  /** @throws {Error} if a request has no response */
  check(): void {
    if (this.#responded < this.#sent) throw new Error(`${this.#sent - this.#responded} requests have no response`)
  }

  /** Sends the request on an idle connection, or on a new one if none is idle. */
  send(): void {
    this.#sent++
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

/** Socket stand-in with the properties that the loggers read. */
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
