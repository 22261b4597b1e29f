import type { Outcome, Refusal } from '@fw/core'
import { placeOf, timesOfCore } from '../observe/core-trace.ts'
import type { Observed } from '../observe/observed.ts'
import { waterfall } from '../observe/stages.ts'
import type { RequestMessage } from './messages.ts'
import { protocolName, rowOf } from './row-of.ts'

/** Maximum number of characters of a path in the feed. */
const MAX_PATH = 120

/** A finished request, before it is turned into a message. Its last byte can still be unsent. */
export interface Finished {
  readonly observed: Observed
  readonly outcome: Outcome
  readonly finished: number
}

/** Turns a finished request into a message. */
export function requestMessage({ observed, outcome, finished }: Finished): RequestMessage {
  const { trace, id, by, started, around, handler, logs } = observed
  const { context, nth } = trace
  const status = outcome.status === 0 ? 499 : outcome.status
  const pattern = context.route?.pattern ?? ''
  const { stages, zero, totalUs, tookUs } = waterfall({ ...timesOfCore(trace), started, finished, around, handler })
  return {
    id,
    protocol: protocolName(context.protocol),
    method: context.method.slice(0, MAX_PATH),
    path: context.path.slice(0, MAX_PATH),
    status: outcome.aborted ? 499 : status,
    aborted: outcome.aborted,
    row: rowOf(context.route?.pattern, status),
    pattern,
    by,
    startedAt: Math.round(performance.timeOrigin + zero),
    tookUs,
    totalUs,
    place: placeOf(trace),
    isReused: nth === undefined ? undefined : nth > 1,
    stages,
    logs: logs.map(({ at, level, text, where, sourceLine }) => {
      const atUs = Math.max(0, Math.round((at - zero) * 1000))
      return { level, atUs, text, where, sourceLine }
    }),
  }
}

/** Turns a request that the protocol engine refused into a message. */
export function refusedMessage(refusal: Refusal, id: string, by: string): RequestMessage {
  const { status, reason, protocol, method = '?', target, durationMs } = refusal
  const totalUs = Math.round(durationMs * 1000)
  return {
    id,
    protocol: protocolName(protocol),
    method: method.slice(0, MAX_PATH),
    path: (target ?? '(unreadable)').slice(0, MAX_PATH),
    status: status === 0 ? 499 : status,
    aborted: status === 499,
    row: rowOf(undefined, status),
    pattern: '',
    by,
    startedAt: Math.round(Date.now() - durationMs),
    tookUs: totalUs,
    totalUs,
    place: '',
    stages: [{ name: 'parse', kind: 'fw', fromUs: 0, toUs: totalUs }],
    logs: [{ level: 'warn', atUs: totalUs, text: `Refused: ${reason}`, where: 'before any middleware' }],
  }
}
