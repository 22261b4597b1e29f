import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { testCertificate } from '@fw/testing'
import { onTestFinished } from 'vitest'
import { memoryPair } from '../../src/engine/socket/memory-transport.ts'
import { SocketTransport } from '../../src/engine/socket/socket-transport.ts'
import { transportContract, type Pair } from './transport-contract.ts'

transportContract('memory', async () => memoryPair())
transportContract('node:net', () => socketPair(false))
transportContract('node:tls', () => socketPair(true), false)

/** Connects two sockets in this process over loopback. */
async function socketPair(isEncrypted: boolean): Promise<Pair> {
  const options = { allowHalfOpen: true, noDelay: true }
  const server = isEncrypted ? createTlsServer({ ...options, ...(await testCertificate()) }) : createServer(options)
  const accepted = once(server, isEncrypted ? 'secureConnection' : 'connection') as Promise<[Socket]>
  const client = await connectTo(server, isEncrypted)
  const [socket] = await accepted
  onTestFinished(() => void server.close())
  return [new SocketTransport(client, isEncrypted), new SocketTransport(socket, isEncrypted)]
}

async function connectTo(server: Server, isEncrypted: boolean): Promise<Socket> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const options = { port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true }
  const client = isEncrypted ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
  await once(client, isEncrypted ? 'secureConnect' : 'connect')
  return client
}
