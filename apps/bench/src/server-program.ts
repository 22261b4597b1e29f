import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a server program is told, the same for every peer; as JSON in its first argument. */
export interface ServerSetup {
  readonly tls?: { readonly keyFile: string; readonly certFile: string }
  /** Where to log every request, asynchronously; peers without an access log of their own do not. */
  readonly accessLogFile?: string
  /** Which of the variants that the program has. */
  readonly form?: string
  /** Files to serve. */
  readonly directory?: string
  /** Routes to register besides those that are asked for. */
  readonly otherRoutes?: number
}

/** For server programs: what they were told. */
export function serverSetup(): ServerSetup {
  return JSON.parse(process.argv[2] ?? '{}') as ServerSetup
}

/**
 * For server programs: the server listens, and ends when the comparison does.
 *
 * @param stop Resolves when everything is written
 */
export function ready(port: number, stop: () => Promise<void> | void = () => {}): void {
  process.on('disconnect', () => process.exit())
  process.on('SIGTERM', () => {
    Promise.resolve(stop()).then(
      () => process.exit(),
      () => process.exit(1),
    )
  })
  process.send?.({ port })
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
