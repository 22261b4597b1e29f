import { setTimeout as delay } from 'node:timers/promises'
import type { Measurement } from '../comparison.ts'
import type { Run } from '../run.ts'
import { mean, median } from '../statistics.ts'
import { undividedTurns, type Turns } from '../turns.ts'
import { OpenStreams } from './open-streams.ts'

/**
 * For each figure, in a round in which the servers of all candidates are open. A machine may change its speed for some
 * seconds or minutes, which would fall on one of them if each had its round for itself.
 */
const TURNS = 6

/** So that one broadcast does not make the figure of a turn, however many streams there are. */
const FEWEST_BROADCASTS = 4

/** What goes before, as a part of that: the caches are full of what the others did. */
const WARM_UP = 1 / 4
const FEWEST_TO_WARM_UP = 2

/**
 * One round: opens the streams and broadcasts, in several turns, events one by one and four at once.
 *
 * @param deliveries Events that arrive while one turn is measured, about; more if there are many streams
 */
export async function measureFanOut(
  name: string,
  count: number,
  run: Run,
  turns: Turns = undividedTurns(),
  deliveries = 40_000,
): Promise<Measurement> {
  const [opened, streamKib] = await turns.take(() => open(name, count, run))
  await using streams = opened
  const eventMicros: number[] = []
  const burstMicros: number[] = []
  for (let turn = 0; turn < (run.isQuick ? 1 : TURNS); turn++) {
    eventMicros.push(await turns.measure(() => costOf(1)))
    burstMicros.push(await turns.measure(() => costOf(4)))
  }
  // Thousands of sockets are closed, which must not fall into the turn of another.
  await turns.take(() => streams[Symbol.asyncDispose]())
  return { eventMicros: mean(eventMicros), burstMicros: mean(burstMicros), streamKib }

  async function costOf(events: number): Promise<number> {
    const broadcasts = Math.max(FEWEST_BROADCASTS, Math.round(deliveries / count / events))
    await streams.broadcast(events, Math.max(FEWEST_TO_WARM_UP, Math.round(broadcasts * WARM_UP)))
    return median(await streams.broadcast(events, broadcasts))
  }
}

/** Opens streams, and looks at the memory of the server soon after. */
async function open(name: string, count: number, run: Run): Promise<readonly [OpenStreams, streamKib: number]> {
  const streams = await OpenStreams.at(name, count)
  try {
    await delay(run.isQuick ? 100 : 500)
    streams.collect()
    return [streams, await streams.kibEach()]
  } catch (error) {
    await streams[Symbol.asyncDispose]()
    throw error
  }
}

/**
 * Pauses before collections. V8 shrinks its young generation in a process that was idle between two of them, and gives
 * the memory back at the next.
 */
const REST_PAUSES_MS = [500, 9500, 10_000, 13_000]

/** One round: opens the streams, and looks at the memory of the server when nothing has happened for a while. */
export async function measureRest(name: string, count: number, run: Run): Promise<Measurement> {
  await using streams = await OpenStreams.at(name, count)
  for (const pauseMs of run.isQuick ? [200] : REST_PAUSES_MS) {
    await delay(pauseMs)
    streams.collect()
  }
  return { streamKib: await streams.kibEach() }
}
