import { setTimeout as delay } from 'node:timers/promises'
import type { Measurement } from '../comparison.ts'
import type { Run } from '../run.ts'
import { mean, median } from '../statistics.ts'
import { undividedTurns, type Turns } from '../turns.ts'
import { OpenStreams } from './open-streams.ts'

/**
 * Of each candidate in a round, while the servers of all are open. A machine may change its speed for some seconds, which
 * would fall on one of them if each had its round for itself.
 */
const TURNS = 6

/** So that one broadcast does not make the figure of a turn, however many streams there are. */
const FEWEST_BROADCASTS = 4

/** Part of a turn that goes before what is measured: the caches are full of what the others did. */
const WARM_UP = 1 / 4
const FEWEST_TO_WARM_UP = 2

/**
 * One round: opens the streams and broadcasts, in several turns, events one by one and four at once.
 *
 * @param deliveries Events that arrive in one turn, about; more if there are many streams
 */
export async function measureFanOut(
  name: string,
  count: number,
  run: Run,
  turns: Turns = undividedTurns(),
  deliveries = 40_000,
): Promise<Measurement> {
  await using streams = await turns.prepare(() => OpenStreams.at(name, count))
  const streamKib = await turns.prepare(async () => {
    await delay(run.isQuick ? 100 : 500)
    return streams.kibEach()
  })
  const eventMicros: number[] = []
  const burstMicros: number[] = []
  for (let turn = 0; turn < (run.isQuick ? 1 : TURNS); turn++) {
    eventMicros.push(await turns.measure(() => costOf(1)))
    burstMicros.push(await turns.measure(() => costOf(4)))
  }
  return { eventMicros: mean(eventMicros), burstMicros: mean(burstMicros), streamKib }

  async function costOf(events: number): Promise<number> {
    const broadcasts = Math.max(FEWEST_BROADCASTS, Math.round(deliveries / count / events))
    await streams.broadcast(events, Math.max(FEWEST_TO_WARM_UP, Math.round(broadcasts * WARM_UP)))
    return median(await streams.broadcast(events, broadcasts))
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
