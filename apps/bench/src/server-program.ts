import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'

/** Setup of a server program, the same for every peer. Passed as JSON in the first argument. */
export interface ServerSetup {
  readonly tls?: { readonly keyFile: string; readonly certFile: string }
  /** File in which to log every request asynchronously. Peers without an access log ignore it. */
  readonly accessLogFile?: string
  /** Variant of the program. */
  readonly form?: string
  /** Folder with the files to serve. */
  readonly directory?: string
  /** Number of additional routes, registered first. */
  readonly otherRoutes?: number
  /** Idle timeout of a connection in milliseconds, for a machine on which the default is too short. */
  readonly idleMs?: number
  /** Whether to start with `--expose-gc`, so that the message `collect` works. */
  readonly isCollected?: boolean
}

/** Returns the setup of the server program that calls this function. */
export function serverSetup(): ServerSetup {
  return JSON.parse(process.argv[2] ?? '{}') as ServerSetup
}

/** A server program's reply to the message `heap`. */
export interface HeapReport {
  /** Bytes of the JavaScript objects on the heap, including garbage. */
  readonly usedBytes: number
  /** Bytes allocated since the process started. */
  readonly allocatedBytes: number
  /** Number of active resources that keep the process alive, such as sockets and timers. */
  readonly handles: number
}

/**
 * Reports that the server of this program is listening, and exits when the benchmark exits. Replies to `heap` with a
 * `HeapReport` and to `cpu` with `process.cpuUsage()`. Collects garbage on `collect`.
 *
 * @param stop Resolves when all buffers are written
 */
export function ready(port: number, stop: () => Promise<void> | void = () => {}): void {
  process.on('message', (message) => {
    if (message === 'collect') globalThis.gc?.()
    if (message === 'heap') process.send?.(heapReport())
    if (message === 'cpu') process.send?.(process.cpuUsage())
  })
  process.on('disconnect', () => process.exit())
  process.on('SIGTERM', () => {
    Promise.resolve(stop()).then(
      () => process.exit(),
      () => process.exit(1),
    )
  })
  process.send?.({ port })
}

function heapReport(): HeapReport {
  const { used_heap_size, total_allocated_bytes } = getHeapStatistics()
  const handles = process.getActiveResourcesInfo().length
  return { usedBytes: used_heap_size, allocatedBytes: total_allocated_bytes, handles }
}

/** Returns the port of a Node.js server in a server program. */
export function portOf(server: { address(): string | { readonly port: number } | null }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server is not listening on a TCP port')
  return address.port
}

/** Returns the contents of the files that a server program serves, by name. */
export function filesOf({ directory }: ServerSetup): ReadonlyMap<string, Buffer> {
  const names = directory === undefined ? [] : readdirSync(directory)
  return new Map(names.map((name) => [name, readFileSync(join(directory ?? '', name))]))
}

/** Returns the patterns of the additional routes that a server program registers. */
export function otherPatterns({ otherRoutes = 0 }: ServerSetup): readonly string[] {
  return Array.from({ length: otherRoutes }, (_, i) => `/api/v1/resource${i}/items/:id`)
}
