import { connect, type ClientRequest, type ClientResponse, type ProtocolClient } from '@fw/testing/clients'
import type { ProtocolName } from '../live/messages.ts'
import { CLIENT_FIELD, type Target } from './tasks.ts'

/** The test client's protocol for each lane. All lanes use TLS, so that they do the same work. */
const CLIENT_PROTOCOLS = { h1: 'h1+tls', h2: 'h2', h3: 'h3' } as const

/** Opens a client for the demo's TLS port. */
export function openLane(target: Target, protocol: ProtocolName): Promise<ProtocolClient> {
  const { host, tlsPort: port, ca } = target
  return connect(CLIENT_PROTOCOLS[protocol], { host, port, ca })
}

/** Opens an HTTP/1.1 client for the port without TLS. */
export function openCleartext({ host, port }: Target): Promise<ProtocolClient> {
  return connect('h1', { host, port })
}

/** Sends a request in the name of `by`, with the header fields that the demo requires. */
export function send(
  client: ProtocolClient,
  { host, port, tlsPort, secret }: Target,
  by: string,
  { headers = [], ...request }: ClientRequest,
): Promise<ClientResponse> {
  const isCleartext = client.protocol === 'h1'
  const authority = host.includes(':') ? `[${host}]` : host
  const origin = isCleartext ? `http://${authority}:${port}` : `https://${authority}:${tlsPort}`
  return client.request({ ...request, headers: [...headers, ['origin', origin], [CLIENT_FIELD, `${secret} ${by}`]] })
}
