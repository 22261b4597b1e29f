import { caddyPeer } from '../http/caddy.ts'
import { nodePeer, type Peer } from '../http/peer.ts'

/**
 * Servers over HTTP/3; `fw` runs the same program as over HTTP/1.1. To add one, add a program to `servers/` and list it
 * here.
 */
export const HTTP3_PEERS: readonly Peer[] = [
  nodePeer('fw', new URL('../http1/servers/fw.ts', import.meta.url), 'http3'),
  nodePeer('@currentspace/http3', new URL('./servers/currentspace.ts', import.meta.url)),
  caddyPeer(({ directory }) =>
    directory === undefined ? 'respond / "hello world"' : `root * ${directory}\n  file_server`,
  ),
]
