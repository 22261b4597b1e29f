import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findProgram, missingProgram } from '../programs.ts'
import { ServerProcess } from '../server-process.ts'
import type { ServerSetup } from '../server-program.ts'
import { connectOnce, onFreePort, untilItSucceeds } from './free-port.ts'
import type { Peer } from './peer.ts'

/** Options of `nginxPeer`. Without `responses`, nginx serves the files of the setup's directory. */
export interface NginxOptions {
  readonly responses?: Readonly<Record<string, { readonly type: string; readonly body: string }>>
  readonly isHttp2?: boolean
}

/** Returns a peer that runs nginx with one worker. */
export function nginxPeer(options: NginxOptions): Peer {
  return {
    name: 'nginx',
    missing: missingProgram('nginx'),
    async start(setup, parent) {
      const folder = await mkdtemp(join(parent, 'nginx-'))
      const file = join(folder, 'nginx.conf')
      const command = [findProgram('nginx') ?? 'nginx', '-c', file, '-e', join(folder, 'error.log')]
      return onFreePort(async (port) => {
        await writeFile(file, nginxConfiguration(options, setup, folder, port))
        return ServerProcess.daemon(command, port, () => untilItSucceeds(() => connectOnce(port)))
      })
    },
  }
}

function nginxConfiguration(options: NginxOptions, setup: ServerSetup, folder: string, port: number): string {
  const { tls, directory = folder } = setup
  const listen = [
    `127.0.0.1:${port}`,
    ...(tls === undefined ? [] : ['ssl']),
    ...(options.isHttp2 === true ? ['http2'] : []),
  ]
  const certificate = tls === undefined ? '' : `ssl_certificate ${tls.certFile}; ssl_certificate_key ${tls.keyFile};`
  const responses = Object.entries(options.responses ?? {}).map(
    ([path, { type, body }]) => `location = ${path} { default_type ${type}; return 200 "${body}"; }`,
  )
  return `
daemon off; worker_processes 1; pid ${folder}/pid;${process.getuid?.() === 0 ? ' user root;' : ''}
events { worker_connections 16384; }
http {
  include /etc/nginx/mime.types; default_type application/octet-stream;
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  server {
    listen ${listen.join(' ')}; root ${directory}; gzip_static on; ${certificate}
    ${responses.join('\n    ')}
  }
}
`
}
