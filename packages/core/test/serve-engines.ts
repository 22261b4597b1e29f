import type { AddressInfo } from 'node:net'
import type { Exchange, Outcome, Refusal } from '@fw/types'
import { onTestFinished } from 'vitest'
import { DEFAULT_LIMITS, type Limits } from '../src/options/limits.ts'
import type { CertificateSet } from '../src/tls/certificate-set.ts'
import { TcpListener } from '../src/listening/tcp-listener.ts'

/** HTTP/1.1 and HTTP/2 engines without an application, and their reports. */
export interface RunningEngines {
  readonly port: number
  readonly listener: TcpListener
  readonly refusals: Refusal[]
  readonly outcomes: Outcome[]
}

/** Serves HTTP/1.1 and HTTP/2 on 127.0.0.1 until the test ends; with TLS if `tls` is given. */
export async function serveEngines(
  onRequest: (exchange: Exchange) => void,
  limits: Partial<Limits> = {},
  tls?: CertificateSet,
  allowsTunnels: boolean = false,
): Promise<RunningEngines> {
  const refusals: Refusal[] = []
  const outcomes: Outcome[] = []
  const listener = new TcpListener({
    tls,
    http2: true,
    host: {
      limits: { ...DEFAULT_LIMITS, ...limits },
      altSvc: '',
      allowsTunnels: () => allowsTunnels,
      onRequest(exchange) {
        exchange.onClose = (outcome) => outcomes.push(outcome)
        onRequest(exchange)
      },
      onRefused: (refusal) => refusals.push(refusal),
    },
  })
  onTestFinished(() => listener.destroy())
  await listener.listen({ port: 0, host: '127.0.0.1' })
  return { port: (listener.address() as AddressInfo).port, listener, refusals, outcomes }
}
