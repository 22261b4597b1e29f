// The process in which a target runs, so that its parent can report an input on which the target hangs or exhausts the memory.
import { writeSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { minimize } from './minimize.ts'
import { Random } from './random.ts'
import { loadTarget } from './target.ts'
import { type Failure, tryInput } from './trial.ts'

/** The maximum time for minimizing an input, in milliseconds. */
const MINIMIZE_MS = 20_000
/** The file descriptor under which the parent passes a file for `Progress`. */
export const PROGRESS_FD = 3

/** The process's task, as JSON in its first argument. */
export interface ChildTask {
  readonly path: string
  readonly seed: number
  readonly seconds: number
}

/** The final report. */
export interface ChildReport {
  readonly inputs: number
  readonly durationMs: number
  readonly failed?: FailedInput
}

/** An input that fails. */
export interface FailedInput {
  readonly text: string
  readonly input: unknown
  /** The length of the input before it was minimized, in characters of JSON. */
  readonly foundLength: number
  /** Whether the input fails again. If not, the failure depends on earlier inputs. */
  readonly isRepeatable: boolean
}

/** The number of inputs before the current one, and the number of started checks. */
const progress = new Uint32Array(2)

if (process.send !== undefined) process.send(await run(JSON.parse(process.argv[2] ?? '') as ChildTask))

async function run({ path, seed, seconds }: ChildTask): Promise<ChildReport> {
  const target = await loadTarget(path)
  const attempt = async (input: unknown): Promise<Failure | undefined> => {
    progress[1] = (progress[1] ?? 0) + 1
    writeSync(PROGRESS_FD, progress, 0, progress.byteLength, 0)
    const failure = await tryInput(target, input)
    // Unhandled rejections end the process before the next input.
    await setImmediate()
    return failure
  }
  const start = performance.now()
  let failed: FailedInput | undefined
  let inputs = 0
  for (; failed === undefined && (inputs === 0 || performance.now() - start < seconds * 1000); inputs++) {
    progress[0] = inputs
    const input = target.generate(new Random(seed + inputs))
    const failure = await attempt(input)
    if (failure !== undefined) failed = await smallest(input, failure, attempt)
  }
  return { inputs, durationMs: performance.now() - start, ...(failed && { failed }) }
}

/** Returns the smallest input found that fails at the same place, or nothing if CPU time was high only once. */
async function smallest(
  input: unknown,
  failure: Failure,
  attempt: (input: unknown) => Promise<Failure | undefined>,
): Promise<FailedInput | undefined> {
  const foundLength = JSON.stringify(input).length
  const isRepeatable = (await attempt(input))?.place === failure.place
  if (!isRepeatable) {
    return failure.place === 'CPU time' ? undefined : { text: failure.text, input, foundLength, isRepeatable }
  }
  const until = performance.now() + MINIMIZE_MS
  let last = failure
  const fails = async (candidate: unknown): Promise<boolean> => {
    const found = await attempt(candidate)
    if (found?.place !== failure.place) return false
    last = found
    return true
  }
  const small = await minimize(input, fails, () => performance.now() < until)
  return { text: last.text, input: small, foundLength, isRepeatable }
}
