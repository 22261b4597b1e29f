import { expect, it } from 'vitest'
import { abortEverywhere } from './aborts.ts'

const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 3)
const CONNECTIONS = Number(process.env['SOAK_CONNECTIONS'] ?? 100)

it(
  `leaks no resources while ${CONNECTIONS} concurrent connections abort at random points for ${SECONDS} s`,
  async () => {
    const { connections, requests, openExchanges, sockets } = await abortEverywhere(CONNECTIONS, SECONDS * 1000)
    expect(connections).toBeGreaterThan(CONNECTIONS)
    expect(requests).toBeGreaterThan(0)
    expect({ openExchanges, sockets }).toEqual({ openExchanges: 0, sockets: 0 })
  },
  (SECONDS + 180) * 1000,
)
