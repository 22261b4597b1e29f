import { createLogger, Level, MemorySink } from '@fw/log'
import { connect, type TestProtocol } from '@fw/testing'
import { onTestFinished } from 'vitest'
import { type ListenOptions, Server, type ServerOptions } from '../../src/index.ts'

/** A request on a connection that then closes. */
export const REQUEST: string = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
/** The value of `proxyProtocol` that lists every peer on this machine. */
export const FROM_LOOPBACK: { from: string[] } = { from: ['127.0.0.0/8'] }

export interface RunningServer {
  readonly port: number
  readonly path: string
  /** Returns the messages that the server has logged at `level`. */
  readonly records: (level: Level) => string[]
}

/** Serves the addresses that handlers see until the test ends. */
export async function serve(listen: ListenOptions = {}, options: ServerOptions = {}): Promise<RunningServer> {
  const sink = new MemorySink()
  const server = new Server({ logger: createLogger({ level: Level.Debug, sinks: [sink] }), ...options })
  server.router().get('/', ({ protocol, remoteAddress, clientAddress, trustsProxy }) => {
    // JSON omits values that are `undefined`.
    return { protocol, remoteAddress, clientAddress, trustsProxy }
  })
  onTestFinished(() => server.close({ drainMs: 0 }))
  const place = listen.path === undefined ? { port: 0, host: '127.0.0.1' } : {}
  const { port = 0, path = '' } = await server.listen({ ...place, proxyProtocol: FROM_LOOPBACK, ...listen })
  const records = (level: Level): string[] =>
    sink
      .records()
      .filter((record) => record.level === level)
      .map(({ message }) => message)
  return { port, path, records }
}

/** Returns the addresses that a handler sees. */
export async function seen(
  protocol: TestProtocol,
  port: number,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const client = await connect(protocol, { port })
  try {
    const response = await client.request({ path: '/', headers: Object.entries(headers) })
    return JSON.parse(await response.text())
  } finally {
    await client.close()
  }
}
