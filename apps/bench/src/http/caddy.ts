import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, missingProgram } from '../programs.ts'
import { ServerProcess } from '../server-process.ts'
import type { ServerSetup } from '../server-program.ts'
import { connectOnce, onFreePort, untilItSucceeds } from './free-port.ts'
import type { Peer } from './peer.ts'

/**
 * Returns a peer that runs Caddy over HTTP/1.1 and, with a certificate, HTTP/2 and HTTP/3.
 *
 * @param directives Returns the site's directives
 */
export function caddyPeer(directives: (setup: ServerSetup) => string): Peer {
  return {
    name: 'caddy',
    missing: missingProgram('caddy'),
    async start(setup, parent) {
      const folder = await mkdtemp(join(parent, 'caddy-'))
      const file = join(folder, 'Caddyfile')
      const homes = ['XDG_DATA_HOME', 'XDG_CONFIG_HOME'].map((name) => `${name}=${folder}`)
      const caddy = [findProgram('caddy') ?? 'caddy', 'run', '--config', file, '--adapter', 'caddyfile']
      return onFreePort(async (port) => {
        await writeFile(file, caddyfile(setup, directives(setup), port))
        return ServerProcess.daemon(['env', ...homes, ...caddy], port, () => untilItSucceeds(() => connectOnce(port)))
      })
    },
  }
}

function caddyfile({ tls }: ServerSetup, directives: string, port: number): string {
  const scheme = tls === undefined ? 'http' : 'https'
  return `{
  admin off
  auto_https off
  log {
    output discard
  }
}
${scheme}://127.0.0.1:${port} {
  ${tls === undefined ? '' : `tls ${tls.certFile} ${tls.keyFile}`}
  ${directives}
}
`
}
