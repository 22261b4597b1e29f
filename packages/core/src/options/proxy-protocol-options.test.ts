import { describe, expect, it } from 'vitest'
import { checkListenOptions, type ListenOptions } from './listen-options.ts'

const check = (proxyProtocol: unknown, place: ListenOptions = {}): unknown =>
  checkListenOptions({ ...place, proxyProtocol } as ListenOptions)

const FIX = "Write the addresses of the proxies, for example ['10.0.0.0/8']."

describe('the listen option proxyProtocol', () => {
  it.each([
    [{ from: ['10.0.0.0/8'] }, {}],
    [{ from: ['10.0.0.1', '2001:db8::/32', '0.0.0.0/0'] }, { port: 8080 }],
    [{ from: ['unix'] }, { path: '/run/x.sock' }],
    [{ from: ['unix', '10.0.0.0/8'] }, { path: '/run/x.sock' }],
    [{ from: ['unix', '10.0.0.0/8'] }, { port: 8080 }],
    // The kind of the socket is known only when it is open.
    [{ from: ['unix'] }, { fd: 3 }],
    [{ from: ['10.0.0.0/8'] }, { systemd: true as const }],
    [{ from: ['10.0.0.0/8'], timeoutMs: 0, maxHeaderBytes: 232 }, {}],
    [{ from: ['10.0.0.0/8'], timeoutMs: 2_147_483_647, maxHeaderBytes: 65_551 }, {}],
  ])('accepts %j with %j', (proxyProtocol, place) => {
    expect(check(proxyProtocol, place)).toMatchObject({ proxyProtocol })
  })

  it.each([
    [true, {}, '"proxyProtocol" must be an object, got true. Write { from: [\'10.0.0.0/8\'] } with'],
    [{}, {}, `"proxyProtocol.from" must be a list with at least one CIDR block or "unix", got undefined. ${FIX}`],
    [
      { from: [] },
      {},
      `"proxyProtocol.from" must be a list with at least one CIDR block or "unix", got an array. ${FIX}`,
    ],
    [{ from: '10.0.0.0/8' }, {}, 'got "10.0.0.0/8".'],
    [{ from: true }, {}, 'got true.'],
    [
      { from: ['10.0.0.0/33'] },
      {},
      '"proxyProtocol.from[0]" must be a CIDR block or "unix", got "10.0.0.0/33". Write, for',
    ],
    [{ from: ['10.0.0.0/8', 'localhost'] }, {}, '"proxyProtocol.from[1]" must be'],
    [{ from: ['::ffff:10.0.0.0/104'] }, {}, '"proxyProtocol.from[0]" must be'],
    [{ from: [10] }, {}, 'got 10.'],
    [{ from: ['unix'] }, {}, `"proxyProtocol.from" must be a list with a CIDR block next to "port"`],
    [{ from: ['unix'] }, { port: 80 }, `"proxyProtocol.from" must be a list with a CIDR block next to "port"`],
    [{ from: ['10.0.0.0/8'] }, { path: '/x' }, `"proxyProtocol.from" must be a list with "unix" next to "path"`],
    [{ from: ['10.0.0.0/8'], timeout: 5 }, {}, 'unknown option "proxyProtocol.timeout". Did you mean "timeoutMs"?'],
    [{ from: ['10.0.0.0/8'], timeoutMs: '5s' }, {}, '"proxyProtocol.timeoutMs" must be an integer'],
  ])('rejects %j with %j', (proxyProtocol, place, message) => {
    expect(() => check(proxyProtocol, place)).toThrow(TypeError)
    expect(() => check(proxyProtocol, place)).toThrow(message)
  })

  it.each([
    [{ timeoutMs: -1 }, '"proxyProtocol.timeoutMs" must be an integer from 0 to 2147483647, got -1.'],
    [{ maxHeaderBytes: 231 }, '"proxyProtocol.maxHeaderBytes" must be an integer from 232 to 65551, got 231.'],
    [{ maxHeaderBytes: 65_552 }, 'got 65552.'],
  ])('rejects %j as out of range', (limits, message) => {
    expect(() => check({ from: ['10.0.0.0/8'], ...limits })).toThrow(RangeError)
    expect(() => check({ from: ['10.0.0.0/8'], ...limits })).toThrow(message)
  })
})
