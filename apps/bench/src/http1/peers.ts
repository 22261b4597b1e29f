import { bunPeer, nodePeer, type Peer } from '../http/peer.ts'

/** Servers over HTTP/1.1. To add one, add a program to `servers/` and list it here. */
export const HTTP1_PEERS: readonly Peer[] = [
  nodePeer('fw', program('fw')),
  nodePeer('node-http', program('node-http')),
  nodePeer('fastify', program('fastify')),
  nodePeer('hono', program('hono')),
  nodePeer('h3', program('h3')),
  nodePeer('express', program('express')),
  bunPeer('bun', program('bun')),
]

function program(name: string): URL {
  return new URL(`./servers/${name}.ts`, import.meta.url)
}
