import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { createLogger, Level, MemorySink } from '@fw/log'
import { closed } from '@fw/testing'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEFAULT_LIMITS } from '../options/limits.ts'
import type { ProxyProtocolOptions } from '../options/proxy-protocol-options.ts'
import { TcpListener } from './tcp-listener.ts'

const HEADER = 'PROXY TCP4 203.0.113.9 198.51.100.1 56324 443\r\n'
/** Milliseconds between deadline checks. */
const TICK_MS = 250
const FIRST_BYTE_TIMEOUT_MS = 1000

interface RunningListener {
  /** Opens a connection that the listener has accepted. */
  readonly open: () => Promise<Socket>
  /** The listener's records at a level. Default Warn. */
  readonly messages: (level?: Level) => string[]
}

async function listen(options: Partial<ProxyProtocolOptions> = {}): Promise<RunningListener> {
  const sink = new MemorySink()
  const accepted = vi.fn<(socket: unknown) => void>()
  const listener = new TcpListener({
    tls: undefined,
    http2: true,
    proxyProtocol: { from: ['127.0.0.1'], ...options },
    host: {
      limits: { ...DEFAULT_LIMITS, firstByteTimeoutMs: FIRST_BYTE_TIMEOUT_MS },
      altSvc: '',
      logger: createLogger({ level: Level.Debug, sinks: [sink] }),
      onRequest: accepted,
      onRefused: () => {},
    },
  })
  onTestFinished(() => listener.destroy())
  await listener.listen({ port: 0, host: '127.0.0.1' })
  const { port } = listener.address() as AddressInfo
  const open = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.on('error', () => {}).resume()
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    await turns()
    return socket
  }
  const messages = (level: Level = Level.Warn): string[] =>
    sink
      .records()
      .filter((record) => record.level === level)
      .map(({ message }) => message)
  return { open, messages }
}

/** Waits until the listener has accepted connections and read the sent bytes. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await setImmediate()
}

/** Lets simulated time pass in steps, so that no step looks like a blocked event loop. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= TICK_MS) {
    vi.advanceTimersByTime(Math.min(left, TICK_MS))
    await turns()
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

describe('the time limit of a PROXY header', () => {
  it('is 5,000 ms by default, and further bytes do not extend it', async () => {
    const { open, messages } = await listen()
    const socket = await open()
    for (const byte of HEADER.slice(0, 18)) {
      socket.write(byte)
      await pass(TICK_MS)
    }
    socket.write('1')
    await pass(2 * TICK_MS - 1)
    expect(socket.closed).toBe(false)
    await pass(TICK_MS + 1)
    await closed(socket)
    expect(messages()).toEqual([
      'Connections closed without a PROXY header: 1. The last was from 127.0.0.1: its PROXY header did not end within 5000 ms',
    ])
  })

  it('is timeoutMs, even for a silent connection, which is not reported as an error', async () => {
    const { open, messages } = await listen({ timeoutMs: 10_000 })
    const socket = await open()
    await pass(10_000 - 1)
    expect(socket.closed).toBe(false)
    await pass(TICK_MS + 1)
    await closed(socket)
    expect(messages()).toEqual([])
    expect(messages(Level.Debug)).toEqual([
      'Connection from 127.0.0.1 closed before its PROXY header: no byte arrived within 10000 ms',
    ])
  })

  it('does not apply if timeoutMs is 0', async () => {
    const { open } = await listen({ timeoutMs: 0 })
    const socket = await open()
    await pass(60_000)
    expect(socket.closed).toBe(false)
  })

  it('ends with the header, after which firstByteTimeoutMs applies', async () => {
    const { open, messages } = await listen()
    const socket = await open()
    await pass(4000)
    socket.write(HEADER)
    await turns()
    await pass(FIRST_BYTE_TIMEOUT_MS - TICK_MS)
    expect(socket.closed).toBe(false)
    await pass(2 * TICK_MS)
    await closed(socket)
    expect(messages()).toEqual([])
  })
})

describe('the record of connections without a PROXY header', () => {
  it('is logged at most once in 10,000 ms, with the number of connections since the last record', async () => {
    const { open, messages } = await listen()
    const fail = async (): Promise<void> => {
      const socket = await open()
      socket.write('GET / HTTP/1.1\r\n\r\n')
      await closed(socket)
    }
    await fail()
    await fail()
    await pass(9_999)
    await fail()
    expect(messages()).toHaveLength(1)
    // No connection is open now, so time passes without a tick.
    vi.advanceTimersByTime(1)
    await fail()
    expect(messages()).toEqual([
      expect.stringContaining('without a PROXY header: 1. '),
      expect.stringContaining('without a PROXY header: 3. '),
    ])
  })
})
