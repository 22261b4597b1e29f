import { once } from 'node:events'
import { type Socket, connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from './certificate.ts'
import type { ConnectOptions } from './client.ts'

/** Options of `openSocket`. `tls` is the ALPN protocol to offer; `false` connects without TLS. */
export type SocketOptions = ConnectOptions & { tls: 'http/1.1' | 'h2' | false }

/**
 * Opens a socket that stays half-open, so that a test can observe the server's FIN before it closes its own side.
 *
 * @throws {Error} if no server is listening, its certificate is not trusted, or ALPN selects a different protocol
 */
export async function openSocket({ port, host = '127.0.0.1', ca, tls }: SocketOptions): Promise<Socket> {
  const address = { port, host, allowHalfOpen: true }
  if (tls === false) {
    const socket = connectTcp({ ...address, noDelay: true })
    await once(socket, 'connect')
    return socket
  }
  const socket = connectTls({ ...address, ca: ca ?? (await testCertificate()).cert, ALPNProtocols: [tls] })
  await once(socket, 'secureConnect')
  socket.setNoDelay(true)
  if (socket.alpnProtocol === tls) return socket
  socket.destroy()
  throw new Error(`ALPN selected '${String(socket.alpnProtocol)}' instead of '${tls}'`)
}
