import { fileURLToPath } from 'node:url'
import { join, resolve } from 'node:path'
import { Server, type ListenerAddress } from '@fw/core'
import * as log from '@fw/log'
import { keptCertificate } from './certificate.ts'
import { Feed } from './feed.ts'
import { registerRoutes } from './routes.ts'
import type { Settings } from './settings.ts'
import { Visitors } from './visitors.ts'

/** A running demo. */
export interface RunningDemo {
  readonly cleartext: ListenerAddress
  readonly tls: ListenerAddress
  close(): Promise<void>
}

const HOME = fileURLToPath(new URL('..', import.meta.url))

/**
 * Starts the demo: a server with and without TLS, which logs to the console, to a file and to the live feed.
 *
 * @throws {Error} with one line that states the fix
 */
export async function startDemo(settings: Settings): Promise<RunningDemo> {
  const dataDir = resolve(HOME, settings.dataDir)
  const visitors = new Visitors()
  const feed = new Feed(settings.tickMs, visitors)
  log.setLevel(settings.logLevel)
  log.setSinks([new log.ConsoleSink(), feed])
  if (settings.logFile !== undefined) log.addSink(new log.FileSink(join(dataDir, settings.logFile)))

  const { certFile, keyFile } = await certificate(settings, dataDir)
  const trustProxy =
    settings.proxies === 0 ? false : ({ proxies: settings.proxies, header: 'x-forwarded-for' } as const)
  const server = new Server({ tls: { certFile, keyFile }, http3: settings.http3, trustProxy })
  registerRoutes(server.router(), { accessLog: settings.accessLog, filesDir: settings.filesDir, feed, visitors })

  const { host, workers: count, drainMs } = settings
  const workers = count === 0 ? {} : { workers: { count, drainMs } }
  const close = async (): Promise<void> => {
    await server.close({ drainMs })
    await feed.close()
  }
  try {
    const cleartext = await server.listen({ host, ...workers, port: settings.port, tls: false, http3: false })
    const tls = await server.listen({ host, ...workers, port: settings.tlsPort })
    return { cleartext, tls, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function certificate(
  { certFile, keyFile }: Settings,
  dataDir: string,
): Promise<{ certFile: string; keyFile: string }> {
  if (certFile === undefined && keyFile === undefined) return keptCertificate(dataDir)
  if (certFile === undefined || keyFile === undefined) {
    throw new Error(
      'DEMO_CERT_FILE and DEMO_KEY_FILE must be set together. Set both, or neither for a self-signed certificate.',
    )
  }
  return { certFile, keyFile }
}
