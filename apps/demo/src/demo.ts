import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accessLog } from '@fw/access-log'
import { Server, type ListenerAddress } from '@fw/core'
import * as log from '@fw/log'
import { registerDocsRoute } from './app/docs-route.ts'
import { registerEchoRoutes } from './app/echo-routes.ts'
import { writeRaceFiles } from './app/race-files.ts'
import { handlerSources, registerRoutes } from './app/routes.ts'
import { keptCertificate } from './certificate.ts'
import { hostGuard, originGuard } from './guard/host-guard.ts'
import { pagePolicy } from './guard/page-policy.ts'
import { Controls, requestId } from './live/controls.ts'
import { Live } from './live/live.ts'
import { LogLines, withoutDemoTraffic } from './observe/log-lines.ts'
import type { Settings } from './settings.ts'
import { Visitors } from './visitors.ts'

/** A running demo. */
export interface RunningDemo {
  readonly cleartext: ListenerAddress
  readonly tls: ListenerAddress
  close(): Promise<void>
}

const HOME = fileURLToPath(new URL('..', import.meta.url))
/** The folder that `vite build` writes. */
const PAGE_DIR = join(HOME, 'dist/page')

/**
 * Starts the demo: a server with and without TLS, and a page that shows the server's requests.
 *
 * @throws {Error} with a one-line message that states the fix
 */
export async function startDemo(settings: Settings): Promise<RunningDemo> {
  if (!existsSync(join(PAGE_DIR, 'index.html'))) throw new Error('The page is not built. Run "pnpm build".')
  const { host, workers: count, drainMs, proxies, http3, names } = settings
  const dataDir = resolve(HOME, settings.dataDir)
  const raceDir = join(dataDir, 'race')
  const { certFile, keyFile } = await certificate(settings, dataDir)
  await writeRaceFiles(raceDir)

  const isLoopbackOnly = isLoopback(host)
  const trustProxy = proxies === 0 ? false : ({ proxies, header: 'x-forwarded-for' } as const)
  const server = new Server({ tls: { certFile, keyFile }, http3, trustProxy })
  const sources = handlerSources()
  const live = new Live({ isPublic: !isLoopbackOnly, hasOwnClients: count === 0, http3, host, sources, server })
  const { observer } = live
  const { current } = observer
  const visitors = new Visitors(current)
  const ports = new Set<string>()

  log.setLevel(settings.logLevel)
  log.setSinks([withoutDemoTraffic(new log.ConsoleSink(), current), new LogLines(current, sources, isLoopbackOnly)])
  if (settings.logFile !== undefined) {
    log.addSink(withoutDemoTraffic(new log.FileSink(join(dataDir, settings.logFile)), current))
  }

  const controls = new Controls(live.feed, live, (visitor) => live.welcome(visitor))
  const app = server.router()
  const entries = accessLog({
    format: settings.accessLog,
    // Health checks arrive every few seconds, so their entries would hide the others.
    skipPaths: ['/healthz'],
    requestHeaders: ['referer'],
    redactQuery: ['token'],
  })
  app.use(...observer.around(entries))
  app.use(
    observer.measured('visitor', visitors.middleware),
    hostGuard({ names, isLoopbackOnly, ports }),
    originGuard,
    controls.limitTries,
    pagePolicy,
    requestId(observer),
    observer.handler,
  )
  controls.register(app)
  registerEchoRoutes(app)
  registerDocsRoute(app, settings.docsUrl)
  registerRoutes(app, { pageDir: PAGE_DIR, raceDir, filesDir: settings.filesDir })

  const workers = count === 0 ? {} : { workers: { count, drainMs } }
  const close = async (): Promise<void> => {
    await live.closeClients()
    await server.close({ drainMs })
    await live.close()
  }
  try {
    const cleartext = await server.listen({ host, ...workers, port: settings.port, tls: false, http3: false })
    ports.add(String(cleartext.port))
    const tls = await server.listen({ host, ...workers, port: settings.tlsPort })
    ports.add(String(tls.port))
    live.start({
      host: isIP(host) === 0 || /^(?:0\.0\.0\.0|::)$/.test(host) ? '127.0.0.1' : host,
      port: cleartext.port ?? 0,
      tlsPort: tls.port ?? 0,
      http3,
      ca: await readFile(certFile, 'utf8'),
      secret: visitors.secret,
      level: settings.traffic,
    })
    return { cleartext, tls, close }
  } catch (error) {
    await close()
    throw error
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
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
