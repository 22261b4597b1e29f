import { expect, it } from 'vitest'
import { listenerUrl } from './listener.ts'

it.each([
  ['http', '0.0.0.0', 'IPv4', 8080, 'http://localhost:8080/'],
  ['https', '::', 'IPv6', 443, 'https://localhost/'],
  ['http', '127.0.0.1', 'IPv4', 80, 'http://127.0.0.1/'],
  ['https', '2001:db8::1', 'IPv6', 8443, 'https://[2001:db8::1]:8443/'],
  ['http', 'fe80::1%eth0', 'IPv6', 8080, 'http://[fe80::1]:8080/'],
] as const)('returns the URL $4 for $0 on $1 ($2) and port $3', (scheme, address, family, port, url) => {
  expect(listenerUrl(scheme, { address, family, port }).href).toBe(url)
})
