import type { LaneResult, RaceSpan } from '../live/messages.ts'

/** Returns the result of a lane from its requests. */
export function laneResult(name: string, spans: readonly RaceSpan[], connections: number): LaneResult {
  const totalMs = spans.reduce((latest, [, to]) => Math.max(latest, to), 0)
  const rounded = spans.map(([from, to]) => [round(from), round(to)] as const)
  return { name, totalMs: round(totalMs), spans: rounded, connections }
}

/** Returns the result for a lane that cannot run. */
export function absent(name: string, reason: string): LaneResult {
  return { name, totalMs: 0, spans: [], connections: 0, absent: reason }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100
}
