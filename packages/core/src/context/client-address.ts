import { believedAddress, peerAddress, UNIX_SOCKET, type Trust } from '@fw/client-address'
import type { Exchange } from '@fw/types'

/** Returns the address of the client: the one that trusted proxies report, otherwise the peer's. */
export function clientAddressOf(exchange: Exchange, trust: Trust | undefined): string | undefined {
  const { remoteAddress, isUnixSocket, headers } = exchange
  if (trust === undefined) return peerAddress(remoteAddress)
  return believedAddress(headers, isUnixSocket === true ? UNIX_SOCKET : remoteAddress, trust)
}
