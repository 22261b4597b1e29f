import { cut, makeRequests } from './requests.ts'
import { fault } from './judge.ts'
import { Random } from './random.ts'
import { ask, askKept, askNode } from './servers.ts'
import { isDeepStrictEqual } from 'node:util'

/** Bytes on which our engine was at fault. */
export interface Finding {
  readonly fault: string
  /** One character a byte. */
  readonly wire: string
}

/** Judges one input, whole and in pieces. */
export async function judge(wire: string, random: Random): Promise<Finding | undefined> {
  const whole = await ask([Buffer.from(wire, 'latin1')])
  const slices = cut(wire, random)
  for (const askInPieces of [ask, askKept]) {
    // Body bytes are moved within what was received.
    const pieces = await askInPieces(slices.map((slice) => Buffer.from(slice)))
    // How much of a fault has arrived decides what it is called, not what becomes of the bytes.
    const isSame = isDeepStrictEqual(whole.requests, pieces.requests) && !whole.refusal === !pieces.refusal
    if (!isSame) return { fault: `it matters where the bytes are cut (${askInPieces.name})`, wire }
  }
  if (fault(whole, await askNode([Buffer.from(wire, 'latin1')]), wire) === undefined) return undefined
  // Node's server loses a valid request when a fault follows in the same slice, so it is asked again byte by byte.
  const bytes = Array.from(wire, (byte) => Buffer.from(byte, 'latin1'))
  const found = fault(whole, await askNode(bytes), wire)
  return found === undefined ? undefined : { fault: found, wire }
}

/**
 * Makes and judges inputs.
 *
 * @param goesOn Whether there are to be more, told how many there were
 * @returns How many there were, and the shortest input for each kind of fault
 */
export async function fuzz(
  seed: number,
  goesOn: (inputs: number) => boolean,
): Promise<{ inputs: number; findings: Finding[] }> {
  const random = new Random(seed)
  const findings = new Map<string, Finding>()
  let inputs = 0
  for (; goesOn(inputs); inputs++) {
    const wire = makeRequests(random)
    const finding = await judge(wire, random)
    const known = finding && findings.get(finding.fault)
    if (finding !== undefined && (known === undefined || known.wire.length > wire.length)) {
      findings.set(finding.fault, finding)
    }
  }
  return { inputs, findings: [...findings.values()] }
}
