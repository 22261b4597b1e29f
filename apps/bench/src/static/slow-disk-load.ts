// In a process of its own: asks a server for files over many connections until it is told to stop.
import { Agent, get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** What the process is given, as JSON. */
export interface SlowDiskLoad {
  readonly port: number
  readonly paths: readonly string[]
  readonly connections: number
}

/** Between a response and the next request of a connection: the load has to be the same whatever the disk is. */
const PAUSE_MS = 20

const { port, paths, connections } = JSON.parse(process.argv[2] ?? '{}') as SlowDiskLoad
const agent = new Agent({ keepAlive: true, maxSockets: connections })
let responses = 0
let isOver = false
process.once('message', () => (isOver = true))
await Promise.all(Array.from({ length: connections }, (_, at) => ask(at)))
agent.destroy()
process.send?.(responses)
process.disconnect?.()

async function ask(first: number): Promise<void> {
  for (let at = first; !isOver; at += connections) {
    await respond(paths[at % paths.length] ?? '/')
    responses++
    await delay(PAUSE_MS)
  }
}

function respond(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} was answered with ${response.statusCode}`))
      response.resume().once('end', resolve)
    }).once('error', reject)
  })
}
