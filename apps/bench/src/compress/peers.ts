import { nodePeer, type Peer } from '../http/peer.ts'

/**
 * Servers that compress responses. `by hand` is a minimal node:http program that encodes each body on the event loop, which is
 * about the lower bound. To add one, add a program to `servers/` and list it here.
 */
export const COMPRESS_PEERS: readonly Peer[] = [
  nodePeer('fw', program('fw')),
  nodePeer('by hand', program('by-hand')),
  nodePeer('fastify', program('fastify')),
  nodePeer('hono', program('hono')),
  nodePeer('express', program('express')),
  nodePeer('koa', program('koa')),
]

function program(name: string): URL {
  return new URL(`./servers/${name}.ts`, import.meta.url)
}
