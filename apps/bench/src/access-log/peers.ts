import { nodePeer, type Peer } from '../http/peer.ts'

/**
 * Servers with and without an access log. To add one, add a variant to a program in `servers/`, and list it here and in
 * `BASES`.
 */
export const ACCESS_LOG_PEERS: readonly Peer[] = [
  nodePeer('fw', program('fw')),
  { ...nodePeer('fw combined', program('fw'), 'combined'), logLines: 1 },
  { ...nodePeer('fw json', program('fw'), 'json'), logLines: 1 },
  { ...nodePeer('fw combined sync', program('fw'), 'combined-sync'), logLines: 1 },
  nodePeer('node-http', program('node-http')),
  { ...nodePeer('morgan', program('node-http'), 'morgan'), logLines: 1 },
  { ...nodePeer('pino-http', program('node-http'), 'pino-http'), logLines: 1 },
  nodePeer('fastify', program('fastify')),
  { ...nodePeer('fastify pino', program('fastify'), 'pino'), logLines: 2 },
]

function program(name: string): URL {
  return new URL(`./servers/${name}.ts`, import.meta.url)
}
