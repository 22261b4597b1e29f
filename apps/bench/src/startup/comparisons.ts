import { request } from 'node:http'
import { once } from 'node:events'
import { pathToFileURL } from 'node:url'
import type { Comparison, Measurement } from '../comparison.ts'
import { nodePeer, type Peer } from '../http/peer.ts'
import { HTTP1_PEERS } from '../http1/peers.ts'
import type { Run } from '../run.ts'
import { makePublishedApp } from './published-app.ts'

export const STARTUP_COMPARISONS: readonly Comparison[] = [
  {
    name: 'hello',
    title:
      'Time from the start of the process to the first response, with the published form of the packages. ' +
      'From sources, Node.js also strips the types',
    reference: 'node-http',
    metrics: ['startMs', 'startCpuMs', 'rssMib'],
    targets: [],
    candidates: [
      { name: 'fw', missing: undefined, measure: async (run) => measureStart(await publishedPeer(run), run) },
      ...HTTP1_PEERS.map((peer) => ({
        name: peer.name === 'fw' ? 'fw, from sources' : peer.name,
        missing: peer.missing,
        measure: (run: Run) => measureStart(peer, run),
      })),
    ],
  },
]

let program: Promise<string> | undefined

/** Returns a peer that runs `fw` from its published form. The first round builds this form. */
async function publishedPeer({ folder }: Run): Promise<Peer> {
  program ??= makePublishedApp(folder)
  return nodePeer('fw', pathToFileURL(await program))
}

async function measureStart(peer: Peer, run: Run): Promise<Measurement> {
  const started = performance.now()
  await using server = await peer.start({}, run.folder)
  const sent = request({ host: '127.0.0.1', port: server.port, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode?: number }]
  const startMs = performance.now() - started
  if (response.statusCode !== 200) throw new Error(`The status is ${response.statusCode}`)
  response.resume()
  const { cpuMicros, rssBytes } = await server.usage()
  return { startMs, startCpuMs: cpuMicros / 1000, rssMib: rssBytes / 2 ** 20 }
}
