import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { LaneResult, RaceSpan } from '../live/messages.ts'
import { openLane, send } from './lane-client.ts'
import { absent, laneResult } from './lane-result.ts'
import { CLIENT_FIELD, type Target } from './tasks.ts'

/** Number of messages in each lane. */
const MESSAGES = 200
/** Number of messages that the page draws. */
const DRAWN = 50

/** Measures the round-trip time of a message, over events with POST and over a WebSocket. */
export async function raceEcho(target: Target): Promise<readonly LaneResult[]> {
  return [
    median('SSE', await echoEvents(target)),
    median('WS', await echoSocket(target)),
    absent('WT', 'fw does not support WebTransport yet'),
  ]
}

async function echoEvents(target: Target): Promise<number[]> {
  const client = await openLane(target, 'h2')
  const path = `/race-echo/events/${randomUUID()}`
  try {
    const events = await send(client, target, 'race', { path })
    const decoder = new TextDecoder()
    const took: number[] = []
    let text = ''
    let sentAt = 0
    const post = async (): Promise<void> => {
      sentAt = performance.now()
      await (await send(client, target, 'race', { path, body: `message ${took.length}` })).bytes()
    }
    for await (const chunk of events.body) {
      text += decoder.decode(chunk, { stream: true })
      const isOpen = text.includes(': open')
      const hasArrived = text.includes(`message ${took.length}\n`)
      if (!isOpen && !hasArrived) continue
      if (hasArrived) took.push(performance.now() - sentAt)
      text = ''
      if (took.length === MESSAGES) break
      void post().catch(() => events.abort())
    }
    return took
  } finally {
    await client.close()
  }
}

async function echoSocket({ host, tlsPort, ca, secret }: Target): Promise<number[]> {
  const authority = host.includes(':') ? `[${host}]` : host
  const socket = new WebSocket(`wss://${authority}:${tlsPort}/race-echo/socket`, {
    ca,
    perMessageDeflate: false,
    headers: { [CLIENT_FIELD]: `${secret} race` },
  })
  await once(socket, 'open')
  const took: number[] = []
  while (took.length < MESSAGES) {
    const sentAt = performance.now()
    socket.send(`message ${took.length}`)
    await once(socket, 'message')
    took.push(performance.now() - sentAt)
  }
  socket.terminate()
  return took
}

/** Returns a lane whose total is the median. Its drawn messages are sorted by duration. */
function median(name: string, took: readonly number[]): LaneResult {
  const sorted = took.toSorted((a, b) => a - b)
  const every = Math.max(1, Math.floor(sorted.length / DRAWN))
  const spans = sorted.filter((_, n) => n % every === 0).map((ms): RaceSpan => [0, ms])
  return { ...laneResult(name, spans, 1), totalMs: Math.round((sorted[sorted.length >> 1] ?? 0) * 100) / 100 }
}
