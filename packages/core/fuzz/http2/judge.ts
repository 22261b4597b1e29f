import { isDeepStrictEqual } from 'node:util'
import type { Verdict } from './engine.ts'
import type { ReferenceVerdict } from './reference.ts'
import {
  isGivenUp,
  isTolerated,
  isWider,
  STRICTER,
  STRICTER_CONNECTION,
  withoutForbiddenTrailers,
  type Rule,
} from './rules.ts'
import type { Understood } from './understood.ts'

const MAX_WINDOW = 2 ** 31 - 1

/**
 * Compares how the engine and nghttp2 read the same bytes.
 *
 * @param trailers Names of the client's trailer fields by stream ID
 * @returns A description of the difference; `undefined` if the two agree, or if a listed rule permits the difference
 */
export function fault(
  ours: Verdict,
  node: ReferenceVerdict,
  trailers: ReadonlyMap<number, ReadonlySet<string>>,
): string | undefined {
  for (const [id, request] of ours.requests) {
    const expected = node.requests.get(id)
    if (expected !== undefined && !isDeepStrictEqual(request, withoutForbiddenTrailers(expected)))
      return `interpreted differently on stream ${id}`
    if (expected === undefined && !isWider(trailers.get(id)) && !mayGoOn(ours, node)) {
      return `accepted on stream ${id}: ${JSON.stringify(request)}; nghttp2: ${refusals(node)}`
    }
  }
  for (const [id, request] of node.requests) {
    const found = ours.requests.has(id) ? undefined : missing(ours, id, request)
    if (found !== undefined) return found
  }
  if (node.connectionError !== undefined && !mayGoOn(ours, node) && ours.refusals.length === 0) {
    return `nothing is refused; nghttp2: ${refusals(node)}`
  }
  return undefined
}

/** Checks the refusal of a request. Returns a description of the error, if any. */
function missing({ refusals: reasons, view }: Verdict, id: number, request: Understood): string | undefined {
  const stream = view.streams.get(id)
  if (stream?.resetCode !== undefined || stream?.status?.startsWith('4') === true) {
    const isListed = reasons.some((reason) => allows(STRICTER, reason, request))
    return isListed ? undefined : `refused on stream ${id}: ${reasons.join()}`
  }
  // RFC 9113 §6.8: after GOAWAY, later requests are not handled.
  if (view.goawayCode === 0 && id > view.lastStreamId) return undefined
  // A client that sends GOAWAY with an error receives no pending responses.
  if (view.isLeftByClient && view.goawayCode === undefined) return undefined
  // The connection error is reported last.
  const reason = view.hasFailed ? reasons.at(-1) : undefined
  if (reason === undefined) return `neither accepted nor refused: stream ${id}`
  return allows(STRICTER_CONNECTION, reason, request) ? undefined : `connection refused: ${reason}`
}

/** Reports whether the rules permit the engine to accept more than nghttp2. */
function mayGoOn({ refusals: reasons, view }: Verdict, { connectionError }: ReferenceVerdict): boolean {
  if (isGivenUp(connectionError)) return reasons.length > 0 || view.hasAcknowledgedPing
  const isWideAfterEnd = [...view.streams.values()].some(({ isOver, window }) => isOver && window > MAX_WINDOW)
  const { isBetweenFrames, isAcknowledgedTwice, isLeftByClient } = view
  return isTolerated(connectionError, {
    isCutOff: !isBetweenFrames,
    isWideAfterEnd,
    isAcknowledgedTwice,
    isLeftByClient,
  })
}

function allows(rules: readonly Rule[], reason: string, request: Understood): boolean {
  return rules.some((rule) => rule.reason.test(reason) && (rule.isAbout?.(request) ?? true))
}

function refusals({ resets, connectionError }: ReferenceVerdict): string {
  return `streams ${JSON.stringify([...resets])}, connection ${connectionError}`
}
