// Requests files over many connections until it receives a message. Runs in a separate process.
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** Options for the process, passed as JSON. */
export interface SlowDiskLoad {
  readonly port: number
  readonly paths: readonly string[]
  readonly connections: number
}

/** Pause between a response and the next request on a connection, so that the load does not depend on the disk. */
const PAUSE_MS = 20

const { port, paths, connections } = JSON.parse(process.argv[2] ?? '{}') as SlowDiskLoad
const agent = new Agent({ keepAlive: true, maxSockets: connections })
let responses = 0
let isStopped = false
process.once('message', () => (isStopped = true))
await Promise.all(Array.from({ length: connections }, (_, at) => repeatRequests(at)))
agent.destroy()
process.send?.(responses)
process.disconnect?.()

async function repeatRequests(first: number): Promise<void> {
  for (let at = first; !isStopped; at += connections) {
    await request(paths[at % paths.length] ?? '/')
    responses++
    await delay(PAUSE_MS)
  }
}

function request(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`GET ${path}: status ${response.statusCode}`))
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}
