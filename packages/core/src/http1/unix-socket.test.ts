import { connect } from 'node:net'
import { closed, tempFolder } from '@fw/testing'
import type { Exchange } from '@fw/types'
import { expect, it } from 'vitest'
import { TcpListener } from '../listening/tcp-listener.ts'
import { DEFAULT_LIMITS } from '../options/limits.ts'

it.each([
  ['', undefined],
  ['PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n', { from: ['unix'] }],
])(
  'closes only its connection when a response aborts on a Unix socket, which has no reset: %j',
  async (header, proxyProtocol) => {
    await using folder = await tempFolder()
    const path = folder.join('socket')
    const outcomes: unknown[] = []
    const faults: unknown[] = []
    const onRequest = (exchange: Exchange): void => {
      exchange.onClose = (outcome) => outcomes.push(outcome)
      exchange.start(200, [])
      exchange.write(Buffer.from('half'))
      try {
        exchange.abort()
      } catch (error) {
        faults.push(error)
      }
    }
    const host = { limits: DEFAULT_LIMITS, altSvc: '', onRefused: () => {}, onRequest }
    const listener = new TcpListener({ tls: undefined, http2: false, host, proxyProtocol })
    await listener.listen({ path })
    const socket = connect(path)
    socket.on('error', () => {}).resume()
    socket.write(`${header}GET / HTTP/1.0\r\n\r\n`)
    await closed(socket)
    expect(faults).toEqual([])
    expect(outcomes).toEqual([{ status: 200, bodyBytes: 4, aborted: true }])
    await listener.drain()
  },
)
