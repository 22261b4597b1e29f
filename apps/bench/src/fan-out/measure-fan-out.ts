import { setTimeout as delay } from 'node:timers/promises'
import type { Measurement } from '../comparison.ts'
import type { Run } from '../run.ts'
import { mean, median } from '../statistics.ts'
import { plainTurns, type Turns } from '../turns.ts'
import { OpenStreams } from './open-streams.ts'

/**
 * Turns per figure and round. The servers of all candidates alternate within a round, because the speed of a machine can change
 * for seconds or minutes. If each candidate ran alone, such a change would affect only one of them.
 */
const TURNS = 6

/** Minimum number of broadcasts per turn, so that a single broadcast does not determine the figure. */
const MIN_BROADCASTS = 4

/**
 * Unmeasured broadcasts before each turn, as a share of the measured ones, because other candidates have filled the CPU caches.
 */
const WARM_UP = 1 / 4
const MIN_WARM_UP_BROADCASTS = 2

/**
 * Runs one round: opens the streams, then broadcasts single events and bursts of four events in several turns.
 *
 * @param deliveries Approximate number of delivered events per turn; higher with many streams
 */
export async function measureFanOut(
  name: string,
  count: number,
  run: Run,
  turns: Turns = plainTurns(),
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
  // Close the sockets in a turn, so that closing does not disturb another candidate's measurement.
  await turns.take(() => streams[Symbol.asyncDispose]())
  return { eventMicros: mean(eventMicros), burstMicros: mean(burstMicros), streamKib }

  async function costOf(events: number): Promise<number> {
    const broadcasts = Math.max(MIN_BROADCASTS, Math.round(deliveries / count / events))
    await streams.broadcast(events, Math.max(MIN_WARM_UP_BROADCASTS, Math.round(broadcasts * WARM_UP)))
    return median(await streams.broadcast(events, broadcasts))
  }
}

/** Opens streams and measures the server's memory shortly afterwards. */
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
 * Pauses before garbage collections. V8 shrinks the young generation if the process was idle between two collections,
 * and returns the memory to the system at the next one.
 */
const REST_PAUSES_MS = [500, 9500, 10_000, 13_000]

/** Runs one round: opens the streams and measures the memory of the idle server. */
export async function measureRest(name: string, count: number, run: Run): Promise<Measurement> {
  await using streams = await OpenStreams.at(name, count)
  for (const pauseMs of run.isQuick ? [200] : REST_PAUSES_MS) {
    await delay(pauseMs)
    streams.collect()
  }
  return { streamKib: await streams.kibEach() }
}
