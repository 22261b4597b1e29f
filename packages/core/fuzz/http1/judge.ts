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
 * Compares the engine's verdict with that of llhttp on the same bytes.
 *
 * @param wire Bytes, one character each
 * @returns A description of the difference; `undefined` if the two agree, or if a listed rule permits the difference
 */
export function fault(ours: Verdict, node: Verdict, wire: string): string | undefined {
  if (hidesABody(wire)) return undefined
  const both = Math.min(ours.requests.length, node.requests.length)
  for (let i = 0; i < both; i++) {
    const request = ours.requests[i]
    if (!isDeepStrictEqual(request, withTargetHost(node.requests[i]))) return `request ${i} is understood otherwise`
    if (request !== undefined && endsComparison(request)) return undefined
  }
  const extra = ours.requests[both]
  // llhttp has refused nothing while it waits for more bytes. If it refused, only a listed rule permits acceptance.
  if (extra !== undefined && !isWider(extra, wire) && !hasConnectionTrailer(wire))
    return `request ${both} is taken, llhttp ${node.refusal ?? 'waits'}`
  const isMissing = node.requests.length > both
  if (!isMissing || ours.requests.length > both || endsConnection(ours.requests.at(-1))) return undefined
  if (ours.refusal === undefined) return `request ${both} is waited for, llhttp has it`
  return ours.refusal in STRICTER ? undefined : `request ${both} is refused without a rule: ${ours.refusal}`
}
