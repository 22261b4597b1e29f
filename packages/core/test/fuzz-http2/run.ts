import { isDeepStrictEqual } from 'node:util'
import { Random } from '../fuzz/random.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { ClientGrammar } from './client-grammar.ts'
import { ask, type Verdict } from './engine.ts'
import { fault } from './judge.ts'
import { askNode } from './reference.ts'
import { trailerNames } from './trailer-names.ts'

/** Bytes on which our engine was at fault. */
export interface Finding {
  readonly fault: string
  readonly seed: number
  /** Frames in hexadecimal digits. */
  readonly frames: readonly string[]
}

const DEFAULT_WINDOW = 65_535
/** Inputs that are judged at once, as each waits for turns of the event loop. */
const AT_ONCE = 25

/** Judges one connection: as the application wants it, whole and in pieces. */
async function judge(frames: readonly Buffer[], seed: number): Promise<string | undefined> {
  const random = new Random(seed)
  const bytes = Buffer.concat(frames)
  try {
    const whole = await ask([bytes], { random })
    const pieces = await ask(cut(bytes, random), { random })
    if (!isSame(whole, pieces)) return 'it matters where the bytes are cut'
    await ask(random.chance(0.5) ? frames : cut(bytes, random), {
      random,
      behaviours: BEHAVIOURS,
      isSlow: random.chance(0.3),
    })
    // Others have other windows, which such a client ignores.
    return bytes.length > DEFAULT_WINDOW ? undefined : fault(whole, await askNode(frames), trailerNames(bytes))
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  }
}

/**
 * Makes and judges connections, and keeps the shortest one for each kind of fault.
 *
 * @param goesOn Whether there are to be more, told how many there were
 */
export async function fuzz(
  seed: number,
  goesOn: (inputs: number) => boolean,
): Promise<{ inputs: number; findings: Finding[] }> {
  const findings = new Map<string, Finding>()
  let inputs = 0
  while (goesOn(inputs)) {
    const seeds = Array.from({ length: AT_ONCE }, () => seed * 1_000_003 + inputs++)
    await Promise.all(
      seeds.map(async (each) => {
        const frames = new ClientGrammar(new Random(each)).frames()
        const found = await judge(frames, each)
        if (found === undefined) return
        const known = findings.get(found)
        if (known !== undefined && known.frames.length <= frames.length) return
        findings.set(found, {
          fault: found,
          seed: each,
          frames: frames.map((frame) => frame.toString('hex')),
        })
      }),
    )
  }
  return { inputs, findings: [...findings.values()] }
}

function isSame(a: Verdict, b: Verdict): boolean {
  return isDeepStrictEqual(a.requests, b.requests) && a.view.goawayCode === b.view.goawayCode
}

/** The bytes in pieces, as a network may deliver them. */
function cut(bytes: Buffer, random: Random): Buffer[] {
  if (random.chance(0.1)) return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
  const ends = Array.from({ length: random.below(8) }, () => random.below(bytes.length + 1)).toSorted((a, b) => a - b)
  return [...ends, bytes.length]
    .map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end))
    .filter(({ length }) => length > 0)
}
