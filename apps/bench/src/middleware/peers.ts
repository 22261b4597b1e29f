import { nodePeer, type Peer } from '../http/peer.ts'

/** Servers with and without the same Express middleware. */
export const MIDDLEWARE_PEERS: readonly Peer[] = [
  nodePeer('fw', program('fw'), 'helmet'),
  nodePeer('express', program('express'), 'helmet'),
  nodePeer('fw without', program('fw')),
  nodePeer('express without', program('express')),
]

function program(name: string): URL {
  return new URL(`./servers/${name}.ts`, import.meta.url)
}
