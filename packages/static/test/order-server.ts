// Runs servers for black-box cases in one process, which starts them faster: node order-server.ts <protocol> Prints the port on
// which it accepts orders. An order consists of three lines: port, directory, options as JSON. The server runs until the
// order's connection ends.
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import * as log from '@fw/log'
import { testCertificate, type TestProtocol } from '@fw/testing/clients'
import { serveCase } from './serve-case.ts'

const protocol = (process.argv[2] ?? 'h1') as TestProtocol
const { key, cert } = await testCertificate()
log.setSinks([])

const orders = createServer((socket) => {
  socket.on('error', () => {})
  void serve(socket)
})
orders.listen(0, '127.0.0.1', () => console.log((orders.address() as AddressInfo).port))

async function serve(socket: Socket): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const lines: string[] = []
  for await (const line of createInterface(socket)) {
    lines.push(line)
    if (lines.length === 3) break
  }
  const [port, directory = '', json = ''] = lines
  const close = await serveCase({ port: Number(port), directory, json }, protocol, { key, cert })
  socket.resume()
  await closed
  await close()
}
