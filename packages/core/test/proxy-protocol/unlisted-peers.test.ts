import { Level } from '@fw/log'
import { rawExchange, testCertificate, type TestProtocol } from '@fw/testing'
import { describe, expect, it } from 'vitest'
import { REQUEST, seen, serve } from './proxied-server.ts'
import { balance, BINARY, dial, TEXT } from './send-header.ts'

describe('a connection from an address that is not listed', () => {
  const others = { proxyProtocol: { from: ['10.0.0.0/8'] } }

  it.each<TestProtocol>(['h1', 'h2c', 'h1+tls', 'h2'])('is served without a header over %s', async (client) => {
    const { key, cert } = await testCertificate()
    const { port } = await serve({ ...others, ...(client === 'h1' || client === 'h2c' ? {} : { tls: { key, cert } }) })
    expect(await seen(client, port)).toMatchObject({ remoteAddress: '127.0.0.1' })
  })

  it.each([
    ['version 1', Buffer.from(TEXT)],
    ['version 2', BINARY],
  ])('gets 400 for a header of %s, because it is not a request', async (_, start) => {
    const { port, records } = await serve(others)
    const { text } = await rawExchange(port, Buffer.concat([start, Buffer.from(REQUEST)]))
    expect(text).toMatch(/^HTTP\/1\.1 400 /)
    expect(records(Level.Debug)).toContainEqual(expect.stringMatching(/^Rejected a request from 127\.0\.0\.1: 400 /))
    for (let count = 0; count < 3; count++) await rawExchange(port, start)
    expect(records(Level.Warn)).toEqual([
      'Connections with a PROXY header from unlisted addresses: 1. ' +
        'The last was from 127.0.0.1, which is not in proxyProtocol.from',
    ])
  })

  it.each([
    ['another malformed request', 'PROXYS\r\n\r\n'],
    ['a header after a request', `GET / HTTP/1.1\r\nHost: x\r\n\r\n${TEXT}`],
    ['an empty line before a header', `\r\n${TEXT}`],
  ])('causes no record at Warn for %s', async (_, bytes) => {
    const { port, records } = await serve(others)
    expect((await rawExchange(port, bytes)).text).toContain('HTTP/1.1 400 ')
    expect(records(Level.Warn)).toEqual([])
  })

  it('is limited by maxConnectionsPerAddress', async () => {
    const { port } = await serve(others, { limits: { maxConnectionsPerAddress: 1 } })
    await dial(port)
    const second = await dial(port)
    expect(await second.toArray()).toEqual([])
  })

  it('matches IPv4 blocks on a dual-stack listener', async () => {
    const { port } = await serve({ host: '::' })
    expect(await seen('h1', (await balance(port, TEXT)).port)).toMatchObject({ remoteAddress: '203.0.113.9' })
    expect((await rawExchange(port, REQUEST)).text).toBe('')
  })
})
