import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket, type TcpNetConnectOpts } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/** A version 1 header with the source 203.0.113.9 port 56324. */
export const TEXT: string = 'PROXY TCP4 203.0.113.9 198.51.100.1 56324 443\r\n'
/** A version 2 header with the source 2001:db8::9 port 56324. */
export const BINARY: Buffer = header(
  0x21,
  0x21,
  Buffer.from('20010db800000000000000000000000920010db8000000000000000000000001dc0401bb', 'hex'),
)
/** A version 2 header without a source, as health checks send it. */
export const LOCAL: Buffer = header(0x20, 0x00, Buffer.alloc(0))

/** Returns a version 2 header. */
export function header(command: number, family: number, block: Buffer): Buffer {
  const start = Buffer.from([...Buffer.from('\r\n\r\n\0\r\nQUIT\n'), command, family, block.length >> 8, block.length])
  return Buffer.concat([start, block])
}

/** A load balancer: starts each connection to the server with a header. */
export interface Balancer {
  readonly port: number
}

/**
 * Relays connections until the test ends.
 *
 * @param target Port on 127.0.0.1, or path of a Unix socket
 * @param cutAt Offset at which it divides the header and the first bytes of the client, which it sends together. Default:
 *   the header is sent alone
 */
export async function balance(target: number | string, start: string | Buffer, cutAt?: number): Promise<Balancer> {
  const server = createServer((client) => void relay(client, target, Buffer.from(start), cutAt))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port }
}

async function relay(client: Socket, target: number | string, start: Buffer, cutAt: number | undefined): Promise<void> {
  client.on('error', () => {})
  const upstream = await dial(target)
  upstream.on('close', () => client.destroy())
  client.on('close', () => upstream.destroy())
  if (cutAt === undefined) upstream.write(start)
  else {
    const [first] = (await once(client, 'data')) as [Buffer]
    client.pause()
    const bytes = Buffer.concat([start, first])
    upstream.write(bytes.subarray(0, cutAt))
    // The server in this process then receives both parts in separate reads.
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    upstream.write(bytes.subarray(cutAt))
  }
  client.pipe(upstream).pipe(client)
}

/** Opens a connection, which the end of the test destroys. */
export async function dial(target: number | string): Promise<Socket> {
  const options: TcpNetConnectOpts | { path: string } =
    typeof target === 'number' ? { port: target, host: '127.0.0.1', noDelay: true } : { path: target }
  const socket = connect(options)
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}
