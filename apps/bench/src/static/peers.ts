import { caddyPeer } from '../http/caddy.ts'
import { nginxPeer } from '../http/nginx.ts'
import { nodePeer, type Peer } from '../http/peer.ts'

/**
 * Servers of the files of a directory. `fw hello` answers the same bytes from memory, as far as a file server could
 * ever come; `pipe` does the least that a program for node:http can do. To add one: a program in `servers/`, a line here.
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
