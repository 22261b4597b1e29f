/** Load over HTTP/3: what it is told as JSON in its first argument; prints what it brought. */
import { compareBody } from '../../http/check-response.ts'
import { percentile } from '../../statistics.ts'
import type { Load } from '../load.ts'
import type { H3LoadOptions } from './h3-load.ts'
import { H3Connection } from './h3-connection.ts'
import { encodeRequest } from './wire.ts'

const { port, request, connections, depth, seconds } = JSON.parse(process.argv[2] ?? '') as H3LoadOptions
const latencies: number[] = []
const encoded = encodeRequest(request, `127.0.0.1:${port}`)
const opened = await Promise.all(Array.from({ length: connections }, () => H3Connection.open(port)))
// Every response has to be the same as the first, which the one who runs this has compared with what is expected.
const [first] = opened
const expected = await first?.request(encoded)

const started = performance.now()
const end = started + seconds * 1000
await Promise.all(opened.flatMap((connection) => Array.from({ length: depth }, () => keepAsking(connection))))
const load: Load = {
  requests: latencies.length,
  seconds: (performance.now() - started) / 1000,
  p50Ms: percentile(
    latencies.sort((a, b) => a - b),
    0.5,
  ),
  p99Ms: percentile(latencies, 0.99),
}
for (const connection of opened) connection.close()
process.stdout.write(JSON.stringify(load))

async function keepAsking(connection: H3Connection): Promise<void> {
  for (let before = performance.now(); before < end; before = performance.now()) {
    const { status, body } = await connection.request(encoded)
    if (status !== expected?.status) throw new Error(`The status is ${status}`)
    compareBody(body, expected.body)
    latencies.push(performance.now() - before)
  }
}
