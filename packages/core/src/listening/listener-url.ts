import type { AddressInfo } from 'node:net'

/** Where clients on this machine reach a bound port: without the zone of a link-local address, which no URL can have. */
export function listenerUrl(scheme: 'http' | 'https', { address, family, port }: AddressInfo): URL {
  const isAny = address === '::' || address === '0.0.0.0'
  const name = isAny ? 'localhost' : family === 'IPv6' ? `[${address.replace(/%.*$/, '')}]` : address
  return new URL(`${scheme}://${name}:${port}/`)
}
