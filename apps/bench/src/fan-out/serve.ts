import type { AddressInfo } from 'node:net'

/** What a server under measurement answers the main program with. */
export interface Usage {
  readonly cpuMicros: number
  readonly rssBytes: number
}

/**
 * Lets the main program drive a server: a number makes it send so many events to every stream, `usage` is answered
 * with the processor time and memory of this process so far, `collect` collects garbage.
 */
export function serve(port: number, broadcast: () => void): void {
  process.on('message', (message) => {
    if (message === 'collect') {
      globalThis.gc?.()
    } else if (message === 'usage') {
      const { user, system } = process.cpuUsage()
      const usage: Usage = { cpuMicros: user + system, rssBytes: process.memoryUsage.rss() }
      process.send?.({ usage })
    } else if (typeof message === 'number') {
      for (let n = 0; n < message; n++) broadcast()
    }
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ port })
}

export function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}
