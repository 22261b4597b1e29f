import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getHeapStatistics } from 'node:v8'

/** What a server program is told, the same for every peer; as JSON in its first argument. */
export interface ServerSetup {
  readonly tls?: { readonly keyFile: string; readonly certFile: string }
  /** Where to log every request, asynchronously; peers without an access log of their own do not. */
  readonly accessLogFile?: string
  /** Which of the variants that the program has. */
  readonly form?: string
  /** Files to serve. */
  readonly directory?: string
  /** Routes to register before those that are asked for. */
  readonly otherRoutes?: number
  /** How long a connection may idle, in milliseconds; where a machine is so slow that the default is too short. */
  readonly idleMs?: number
  /** Whether garbage can be collected on demand. */
  readonly isCollected?: boolean
}

/** For server programs: what they were told. */
export function serverSetup(): ServerSetup {
  return JSON.parse(process.argv[2] ?? '{}') as ServerSetup
}

/** What a server program answers `heap` with. */
export interface HeapReport {
  /** Bytes of JavaScript objects that are there now, dead ones included. */
  readonly usedBytes: number
  /** Bytes that were ever allocated. */
  readonly allocatedBytes: number
  /** Sockets, timers and what else keeps the process alive. */
  readonly handles: number
}

/**
 * For server programs: the server listens, and ends when the comparison does. It answers `heap`, and `cpu` with its
 * `process.cpuUsage()`, and collects garbage at `collect` if it was started with `--expose-gc`.
 *
 * @param stop Resolves when everything is written
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

/** For server programs: the port that a Node.js server listens on. */
export function portOf(server: { address(): string | { readonly port: number } | null }): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port')
  return address.port
}

/** For server programs: the files of the directory, in memory, by name. */
export function filesOf({ directory }: ServerSetup): ReadonlyMap<string, Buffer> {
  const names = directory === undefined ? [] : readdirSync(directory)
  return new Map(names.map((name) => [name, readFileSync(join(directory ?? '', name))]))
}

/** For server programs: patterns that are registered and never asked for. */
export function otherPatterns({ otherRoutes = 0 }: ServerSetup): readonly string[] {
  return Array.from({ length: otherRoutes }, (_, i) => `/api/v1/resource${i}/items/:id`)
}
