import { isDeepStrictEqual } from 'node:util'
import {
  endsComparison,
  endsConnection,
  hasConnectionTrailer,
  hidesABody,
  isWider,
  STRICTER,
  withTargetHost,
} from './rules.ts'
import type { Verdict } from './servers.ts'

/**
 * Compares how the engine and llhttp read the same bytes.
 *
 * @param wire Bytes, one character each
 * @returns A description of the difference; `undefined` if the two agree, or if a listed rule permits the difference
 */
export function fault(ours: Verdict, node: Verdict, wire: string): string | undefined {
  if (hidesABody(wire)) return undefined
  const both = Math.min(ours.requests.length, node.requests.length)
  for (let i = 0; i < both; i++) {
    const request = ours.requests[i]
    if (!isDeepStrictEqual(request, withTargetHost(node.requests[i]))) return `request ${i} is interpreted differently`
    if (request !== undefined && endsComparison(request)) return undefined
  }
  const extra = ours.requests[both]
  // While llhttp is waiting for more bytes, it has not refused the request. If it has refused, only a listed rule permits
  // acceptance.
  if (extra !== undefined && !isWider(extra, wire) && !hasConnectionTrailer(wire))
    return `request ${both} is taken, llhttp ${node.refusal ?? 'waits'}`
  const isMissing = node.requests.length > both
  if (!isMissing || ours.requests.length > both || endsConnection(ours.requests.at(-1))) return undefined
  if (ours.refusal === undefined) return `request ${both} is waited for, llhttp has it`
  return ours.refusal in STRICTER ? undefined : `request ${both} is refused without a rule: ${ours.refusal}`
}
