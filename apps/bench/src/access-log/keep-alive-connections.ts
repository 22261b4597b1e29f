import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Keep-alive connections that repeat a request. Each connection sends the next request after it has received the response. */
export class KeepAliveConnections implements Disposable {
  readonly #connections: readonly Connection[]

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections
  }

  /**
   * Opens `count` connections and sends one request on each.
   *
   * @param request GET request with a response of constant length
   */
  static async open(port: number, request: string, count: number): Promise<KeepAliveConnections> {
    const open = async (): Promise<Connection> => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      await once(socket, 'connect')
      socket.write(request)
      const [response] = (await once(socket, 'data')) as [Buffer]
      return { socket, request, responseBytes: response.byteLength }
    }
    return new KeepAliveConnections(await Promise.all(Array.from({ length: count }, open)))
  }

  /**
   * Sends `times` requests on each connection.
   *
   * @throws {Error} if the server closes a connection before the last response
   */
  async repeat(times: number): Promise<void> {
    await Promise.all(this.#connections.map((connection) => repeatOn(connection, times)))
  }

  [Symbol.dispose](): void {
    for (const { socket } of this.#connections) socket.destroy()
  }
}

interface Connection {
  readonly socket: Socket
  readonly request: string
  readonly responseBytes: number
}

function repeatOn({ socket, request, responseBytes }: Connection, times: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let left = times
  let missing = responseBytes
  const onData = (bytes: Buffer): void => {
    missing -= bytes.byteLength
    if (missing > 0) return
    missing = responseBytes
    if (--left > 0) socket.write(request)
    else end(resolve)
  }
  const onClose = (): void => end(() => reject(new Error('A connection was closed before its last response')))
  const end = (settle: () => void): void => {
    socket.off('data', onData)
    socket.off('close', onClose)
    settle()
  }
  socket.on('data', onData)
  socket.on('close', onClose)
  socket.write(request)
  return promise
}
