import type { HostPort } from './quiche-binding.ts'

/** An address as quiche takes it: not with the zone of a link-local one (RFC 4007 §11), which only the socket needs. */
export function quicheAddress({ host, port }: HostPort): HostPort {
  const zoneAt = host.indexOf('%')
  return { host: zoneAt === -1 ? host : host.slice(0, zoneAt), port }
}
