/** Generates HTTP/3 load. Reads `H3LoadOptions` as JSON from the first argument and prints a `Load` as JSON. */
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
// Every response must equal the first one. The caller has compared an earlier response with the expected one.
const [first] = opened
const expected = await first?.request(encoded)

const started = performance.now()
const end = started + seconds * 1000
await Promise.all(opened.flatMap((connection) => Array.from({ length: depth }, () => repeatRequest(connection))))
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

async function repeatRequest(connection: H3Connection): Promise<void> {
  for (let before = performance.now(); before < end; before = performance.now()) {
    const { status, body } = await connection.request(encoded)
    if (status !== expected?.status) throw new Error(`The status is ${status}`)
    compareBody(body, expected.body)
    latencies.push(performance.now() - before)
  }
}
