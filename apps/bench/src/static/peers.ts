import { caddyPeer } from '../http/caddy.ts'
import { nginxPeer } from '../http/nginx.ts'
import { nodePeer, type Peer } from '../http/peer.ts'

/**
 * The compared servers. `fw hello` sends the same bytes from memory, which is the upper bound for a file server.
 * `pipe` is a minimal node:http program. To add one, add a program to `servers/` and list it here.
 */
export const STATIC_PEERS: readonly Peer[] = [
  nodePeer('fw', program('fw')),
  nodePeer('fw hello', program('hello')),
  nodePeer('sirv', program('sirv')),
  nodePeer('fastify-static', program('fastify-static')),
  nodePeer('send', program('send')),
  nodePeer('pipe', program('pipe')),
  nginxPeer({}),
  caddyPeer(({ directory }) => `root * ${directory}\n  file_server {\n    precompressed gzip\n  }`),
]

function program(name: string): URL {
  return new URL(`./servers/${name}.ts`, import.meta.url)
}
