import { once } from 'node:events'
import { type Socket, connect as connectTcp } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { testCertificate } from './certificate.ts'
import type { ConnectOptions } from './client.ts'

/** Where to connect, and the protocol to ask for over TLS; false for clear text. */
export type SocketOptions = ConnectOptions & { tls: 'http/1.1' | 'h2' | false }

/**
 * Opens a socket that stays half-open, so that the server's end of the connection is seen apart from ours.
 *
 * @throws {Error} if nobody listens, the certificate is not that of `testCertificate()`, or ALPN chose another protocol
 */
export async function openSocket({ port, host = '127.0.0.1', tls }: SocketOptions): Promise<Socket> {
  const address = { port, host, allowHalfOpen: true }
  if (tls === false) {
    const socket = connectTcp({ ...address, noDelay: true })
    await once(socket, 'connect')
    return socket
  }
  const { cert } = await testCertificate()
  const socket = connectTls({ ...address, ca: cert, ALPNProtocols: [tls] })
  await once(socket, 'secureConnect')
  socket.setNoDelay(true)
  if (socket.alpnProtocol === tls) return socket
  socket.destroy()
  throw new Error(`The server chose '${String(socket.alpnProtocol)}' by ALPN instead of '${tls}'`)
}
