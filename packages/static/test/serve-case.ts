import { extname } from 'node:path'
import { Server } from '@fw/core'
import type { TestProtocol } from '@fw/testing/clients'
import { staticFiles, type StaticFilesOptions } from '../src/index.ts'
import { openBridge } from './bridge.ts'

/** `cacheControl` as data, because JSON has no functions. */
interface CacheControlRules {
  readonly default?: string
  readonly byExt?: Readonly<Record<string, string>>
  readonly fallback?: string
}

type CaseOptions = Omit<StaticFilesOptions, 'cacheControl'> & {
  readonly prefix?: string
  readonly cacheControl?: CacheControlRules
}

/** Key and certificate of a TLS server, in PEM. */
export interface Identity {
  readonly key: string
  readonly cert: string
}

/**
 * Serves the directory of a black-box case on an HTTP/1.1 port. A bridge provides the other protocols.
 *
 * @param json The options of the case
 * @returns A function that closes the server
 */
export async function serveCase(
  { port, directory, json }: { readonly port: number; readonly directory: string; readonly json: string },
  protocol: TestProtocol = 'h1',
  identity?: Identity,
): Promise<() => Promise<void>> {
  const { prefix = '/', cacheControl, ...options } = JSON.parse(json) as CaseOptions
  const isCleartext = protocol === 'h1' || protocol === 'h2c'
  const server = new Server({
    shutdown: 'signals',
    ...(isCleartext || identity === undefined ? {} : { tls: identity, http3: protocol === 'h3' }),
  })
  staticFiles(server.router(), prefix, directory, {
    ...options,
    ...(cacheControl && { cacheControl: follow(cacheControl) }),
  })
  const address = await server.listen({ port: protocol === 'h1' ? port : 0, host: '127.0.0.1' })
  const bridge = protocol === 'h1' ? undefined : await openBridge(protocol, address.port ?? 0, port)
  return async () => {
    bridge?.close()
    await server.close({ drainMs: 0 })
  }
}

function follow(rules: CacheControlRules): NonNullable<StaticFilesOptions['cacheControl']> {
  return (path, isFallback) => (isFallback ? rules.fallback : (rules.byExt?.[extname(path)] ?? rules.default))
}
