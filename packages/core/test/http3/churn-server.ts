import type { Exchange } from '@fw/types'
import { testCertificate } from '@fw/testing'
import { listenHttp3 } from '../../src/http3/engine.ts'
import { DEFAULT_LIMITS } from '../../src/options/limits.ts'
import { LARGE_BYTES } from './churn.ts'

/** State that the server process reports on request. */
export interface ChurnState {
  readonly requests: number
  /** Exchanges without an `onClose` call. */
  readonly openExchanges: number
  /** Heap and external bytes in use after garbage collection. */
  readonly heapBytes: number
  readonly rssBytes: number
}

const LARGE = Buffer.alloc(LARGE_BYTES)
let requests = 0
let openExchanges = 0

function respond(exchange: Exchange): void {
  requests++
  openExchanges++
  exchange.onClose = () => openExchanges--
  if (exchange.target === '/wait') return
  if (exchange.target === '/read') {
    const end = (): void => exchange.respond(200, [], 'read')
    exchange.body.consume({ data: () => {}, end, error: () => exchange.abort() })
  } else exchange.respond(200, [], exchange.target === '/large' ? LARGE : 'hello')
}

const { key, cert } = await testCertificate()
const listener = await listenHttp3({
  host: '127.0.0.1',
  port: 0,
  key,
  cert,
  engineHost: { limits: DEFAULT_LIMITS, altSvc: '', onRequest: respond, onRefused: () => {} },
})

process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ requests, openExchanges, heapBytes: heapUsed + external, rssBytes: rss } satisfies ChurnState)
})
process.on('disconnect', () => process.exit())
process.send?.(listener.address.port)
