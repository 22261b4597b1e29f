import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** Connections that ask the same again and again, each when it has its response. */
export class KeptConnections implements Disposable {
  readonly #connections: readonly Connection[]

  private constructor(connections: readonly Connection[]) {
    this.#connections = connections
  }

  /** Opens them and lets each ask once. @param request A whole GET request whose responses all have the same length */
  static async open(port: number, request: string, count: number): Promise<KeptConnections> {
    const open = async (): Promise<Connection> => {
      const socket = connect(port, '127.0.0.1').setNoDelay()
      await once(socket, 'connect')
      socket.write(request)
      const [response] = (await once(socket, 'data')) as [Buffer]
      return { socket, request, responseBytes: response.byteLength }
    }
    return new KeptConnections(await Promise.all(Array.from({ length: count }, open)))
  }

  /** Resolves when each has asked so many times more. @throws {Error} if one is closed before */
  async ask(times: number): Promise<void> {
    await Promise.all(this.#connections.map((connection) => askOn(connection, times)))
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

function askOn({ socket, request, responseBytes }: Connection, times: number): Promise<void> {
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
  const onClose = (): void => end(() => reject(new Error('A connection was closed before its last answer')))
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
