import { once } from 'node:events'
import { existsSync, lstatSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { writeFile } from 'node:fs/promises'
import { setSinks } from '@fw/log'
import { connect, tempFolder, testCertificate } from '@fw/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Server, StartupError, type ListenOptions, type ServerOptions } from '../src/index.ts'
import { startServer } from './programs/run.ts'

const local = { port: 0, host: '127.0.0.1' }
const servers: Server[] = []
let tls: { key: string; cert: string }

beforeAll(async () => {
  setSinks([])
  const { key, cert } = await testCertificate()
  tls = { key, cert }
})
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close({ drainMs: 0 })))
})

function make(options: ServerOptions = {}): Server {
  const server = new Server(options)
  server.router().get('/', () => 'hello')
  servers.push(server)
  return server
}

async function failing(where: ListenOptions, options: ServerOptions = {}): Promise<Error> {
  try {
    await make(options).listen(where)
  } catch (error) {
    return error as Error
  }
  throw new Error('The server started')
}

async function requestOverUnix(path: string): Promise<string> {
  const sent = request({ socketPath: path, path: '/', agent: false }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return (await response.setEncoding('utf8').toArray()).join('')
}

describe('reusePort', () => {
  it('shares a port between two servers, over TCP and UDP', async () => {
    const options = { tls, http3: true }
    const { port = 0 } = await make(options).listen({ ...local, reusePort: true })
    const second = await make(options).listen({ ...local, port, reusePort: true })
    expect(second.port).toBe(port)
    for (const protocol of ['h1+tls', 'h3'] as const) {
      const client = await connect(protocol, { port })
      expect((await client.request({ path: '/' })).status).toBe(200)
      await client.close()
    }
  })

  it('does not share a port with a server without the option', async () => {
    const { port = 0 } = await make().listen({ ...local, reusePort: true })
    expect((await failing({ ...local, port })).message).toMatch(/: it is in use\./)
  })
})

describe('a socket that was passed in', () => {
  it('serves connections on the descriptor in fd', async () => {
    await using server = await startServer({}, { fd: 3 }, 'tcp:x')
    expect(await (await fetch(server.started.url ?? '')).text()).toBe(`hello from ${server.child.pid}`)
  })

  it('serves on the stream socket and the datagram socket that systemd passes', async () => {
    await using server = await startServer({ tls, http3: true }, { systemd: true }, 'udp:web,tcp:web')
    const { port = 0, protocols } = server.started
    expect(protocols).toEqual(['HTTP/1.1', 'HTTP/2.0', 'HTTP/3.0'])
    const client = await connect('h2', { port })
    const [, udpPort] = /^h3=":(\d+)"/.exec((await client.request({ path: '/' })).headers.get('alt-svc') ?? '') ?? []
    await client.close()
    expect(Number(udpPort)).not.toBe(port)
    const h3 = await connect('h3', { port: Number(udpPort) })
    expect(await (await h3.request({ path: '/' })).text()).toBe(`hello from ${server.child.pid}`)
    await h3.close()
  })

  it('selects a systemd Unix socket by name, reports its path and does not remove its file', async () => {
    await using folder = await tempFolder()
    const path = folder.join('passed.sock')
    await using server = await startServer({}, { systemd: 'admin' }, `tcp:web,unix=${path}:admin`)
    expect(server.started.path).toBe(path)
    expect(await requestOverUnix(path)).toBe(`hello from ${server.child.pid}`)
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    expect(existsSync(path)).toBe(true)
  })

  // Run concurrently: each case starts a process.
  it.concurrent.each<[string, ServerOptions, ListenOptions, string, RegExp]>([
    [
      'a descriptor of a datagram socket',
      {},
      { fd: 3 },
      'udp:x',
      /^Cannot listen on descriptor 3: it does not accept connections/,
    ],
    [
      'a descriptor that is not open',
      {},
      { fd: 77 },
      'tcp:x',
      /^Cannot listen on descriptor 77: it does not accept connections/,
    ],
    [
      'systemd without a socket for connections',
      {},
      { systemd: true },
      'udp:x,udp:y',
      /^Cannot listen on descriptors 3, 4: they do not accept connections/,
    ],
    [
      'a second socket for connections',
      {},
      { systemd: true },
      'tcp:a,tcp:b',
      /^Cannot listen on descriptors 3, 4: .* one socket .* by its name/,
    ],
    [
      'a TCP socket for datagrams',
      { http3: true },
      { fd: 3, udpFd: 4 },
      'tcp:a,tcp:b',
      /^Cannot listen on descriptor 3 \(UDP\): udpFd is not a UDP socket/,
    ],
    [
      'a UDP socket with another address family',
      { http3: true },
      { fd: 3, udpFd: 4 },
      'tcp:a,udp6:b',
      /^Cannot listen on descriptor 4: it uses IPv6, but the TCP socket uses IPv4/,
    ],
  ])('fails to start with %s, and explains the cause in one line', async (_name, server, listen, sockets, message) => {
    const options = server.http3 === true ? { ...server, tls } : server
    await using process = await startServer(options, listen, sockets)
    expect(process.started.error?.replace('StartupError: ', '')).toMatch(message)
    expect(process.started.error).toMatch(/^StartupError: [^\n]*$/)
  })

  it('explains how to receive a socket if systemd passed none', async () => {
    const error = await failing({ systemd: true })
    expect(error).toBeInstanceOf(StartupError)
    expect(error.message).toMatch(/LISTEN_FDS is not set.*systemd-socket-activate/)
  })
})

describe('a Unix socket', () => {
  it('replaces the file of a killed process, and removes it on close', async () => {
    await using folder = await tempFolder()
    const path = folder.join('x.sock')
    await using server = await startServer({}, { path })
    server.child.kill('SIGKILL')
    await server.ended
    expect(lstatSync(path).isSocket()).toBe(true)
    const own = make()
    await own.listen({ path })
    expect(await requestOverUnix(path)).toBe('hello')
    await own.close()
    expect(existsSync(path)).toBe(false)
  })

  it('does not touch a file that another process serves', async () => {
    await using folder = await tempFolder()
    const path = folder.join('x.sock')
    await make().listen({ path })
    const error = await failing({ path })
    expect(error.message).toBe(
      `Cannot listen on ${path}: it is in use. Stop the other process (ss -lpx shows it), or remove the file if there is no such process`,
    )
    expect(await requestOverUnix(path)).toBe('hello')
  })

  it('does not replace a regular file', async () => {
    await using folder = await tempFolder()
    const path = folder.join('notes.txt')
    await writeFile(path, 'notes')
    expect((await failing({ path })).message).toMatch(/it is in use/)
    expect(lstatSync(path).size).toBe(5)
  })

  it('names a missing directory in the error', async () => {
    expect((await failing({ path: '/nowhere/x.sock' })).message).toMatch(/: its directory is missing, or /)
  })

  it('serves HTTP/2 over TLS', async () => {
    await using folder = await tempFolder()
    const path = folder.join('x.sock')
    await make({ tls }).listen({ path })
    const { connect: connectTls } = await import('node:tls')
    const socket = connectTls({ path, ca: tls.cert, servername: 'localhost', ALPNProtocols: ['h2'] })
    await once(socket, 'secureConnect')
    expect(socket.alpnProtocol).toBe('h2')
    socket.destroy()
  })
})

describe('an option of listen', () => {
  it.each<[ListenOptions, RegExp]>([
    [
      { fd: -1 },
      /^listen: option "fd" must be an integer of at least 0, got -1\. Pass the number of an open file descriptor\.$/,
    ],
    [{ fd: 3, udpFd: 0.5 }, /^listen: option "udpFd" must be an integer of at least 0, got 0\.5\./],
    [{ udpFd: 4 }, /^listen: option "udpFd" must be absent without "fd" or "systemd", got 4\. Add/],
    [
      { fd: 3, port: 80 },
      /^listen: option "fd" must be absent next to "port", got 3\. Choose one of port, path, fd, systemd\.$/,
    ],
    [{ systemd: 'a', fd: 3 }, /^listen: option "systemd" must be absent next to "fd", got "a"\. Choose one of/],
    [
      { path: '/x', host: 'localhost' },
      /^listen: option "host" must be absent next to "path", got "localhost"\. Only a port can have it\.$/,
    ],
    [{ path: '/x', reusePort: true }, /^listen: option "reusePort" must be absent next to "path", got true\./],
    [
      { path: `/${'x'.repeat(120)}` },
      /^listen: option "path" must be the path of a Unix socket with 1 to \d+ bytes, got "\/x+…"\./,
    ],
    [{ systemd: false as never }, /^listen: option "systemd" must be true or a socket name, got false\./],
  ])('rejects %j', async (options, message) => {
    expect((await failing(options)).message).toMatch(message)
  })
})

it('uses the same port number for TCP and UDP if port is 0', async () => {
  const { createSocket } = await import('node:dgram')
  const address = await make({ tls, http3: true }).listen(local)
  const socket = createSocket('udp4')
  socket.bind(address.port, '127.0.0.1')
  const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('EADDRINUSE')
  socket.close()
  const tcp = createServer().listen(address.port, '127.0.0.1')
  const [tcpError] = (await once(tcp, 'error')) as [NodeJS.ErrnoException]
  expect(tcpError.code).toBe('EADDRINUSE')
})
