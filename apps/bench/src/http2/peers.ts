import { nginxPeer } from '../http/nginx.ts'
import { nodePeer, type Peer } from '../http/peer.ts'

/**
 * Servers over HTTP/2; `fw` runs the same program as over HTTP/1.1. To add one, add a program to `servers/` and list it
 * here.
 */
export const HTTP2_PEERS: readonly Peer[] = [
  nodePeer('fw', new URL('../http1/servers/fw.ts', import.meta.url)),
  nodePeer('node-http2', new URL('./servers/node-http2.ts', import.meta.url)),
  nodePeer('fastify', new URL('./servers/fastify.ts', import.meta.url)),
  nginxPeer({ responses: { '/': { type: 'text/plain', body: 'hello world' } }, isHttp2: true }),
]
