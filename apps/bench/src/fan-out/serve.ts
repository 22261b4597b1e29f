import type { AddressInfo } from 'node:net'

/** Reply of a measured server to the message `usage`. */
export interface Usage {
  readonly cpuMicros: number
  readonly rssBytes: number
}

/**
 * Lets the main program control a server through messages. A number broadcasts that many events to every stream, `usage`
 * returns the CPU time and memory of this process, and `collect` triggers a garbage collection.
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
