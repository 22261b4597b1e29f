import { describe, expect, it } from 'vitest'
import { isAllowedHost, isOwnOrigin } from './host-guard.ts'

const LOCAL = { names: [], isLoopbackOnly: true, ports: new Set(['8080', '8443']) }
const PUBLIC = { names: ['live.example.org'], isLoopbackOnly: false, ports: new Set(['8080']) }

describe('the host guard', () => {
  it.each(['localhost:8080', '127.0.0.1:8443', '127.0.0.2:8080', '[::1]:8080', 'LOCALHOST:8080'])(
    'allows %j on loopback',
    (host) => expect(isAllowedHost(host, LOCAL)).toBe(true),
  )

  it.each([
    '',
    'localhost',
    'localhost:81',
    'evil.example:8080',
    '192.0.2.1:8080',
    '127.0.0.1.evil.example:8080',
    'a@localhost:8080',
  ])('refuses %j on loopback', (host) => expect(isAllowedHost(host, LOCAL)).toBe(false))

  it.each(['192.0.2.1:8080', '[2001:db8::1]', 'live.example.org', 'Live.Example.org:443', 'localhost'])(
    'allows %j in public mode',
    (host) => expect(isAllowedHost(host, PUBLIC)).toBe(true),
  )

  it.each(['evil.example', 'evil.live.example.org', '[evil]', '1.2.3'])('refuses %j in public mode', (host) =>
    expect(isAllowedHost(host, PUBLIC)).toBe(false),
  )
})

describe('the origin guard', () => {
  it.each([
    ['http://localhost:8080', 'http', true],
    ['https://localhost:8080', 'http', false],
    ['http://evil.example', 'http', false],
    ['null', 'http', false],
    [null, 'http', false],
  ])("reports whether %j over %s is the server's own origin: %s", (origin, scheme, isOwn) => {
    expect(isOwnOrigin(origin, scheme, 'localhost:8080')).toBe(isOwn)
  })
})
