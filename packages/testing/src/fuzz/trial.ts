import { inspect } from 'node:util'
import type { FuzzTarget } from './target.ts'

const MAX_CPU_MS = 250

/** A failure on one input. */
export interface Failure {
  /** The place where the error was thrown. Two failures at the same place are treated as having the same cause. */
  readonly place: string
  /** The error with its stack trace. */
  readonly text: string
}

/** Checks one input. Returns the error that the target throws, or a failure if the check needs too much CPU time. */
export async function tryInput(target: FuzzTarget<unknown>, input: unknown): Promise<Failure | undefined> {
  const before = process.threadCpuUsage()
  try {
    await target.check(input)
  } catch (error) {
    return failureOf(error)
  }
  const { maxCpuMs = MAX_CPU_MS } = target
  // Measure only this thread. On a busy machine, a check takes longer, but does not need more CPU time.
  const { user, system } = process.threadCpuUsage(before)
  const cpuMs = (user + system) / 1000
  if (cpuMs < maxCpuMs) return undefined
  return { place: 'CPU time', text: `One input takes ${Math.round(cpuMs)} ms of CPU time, more than ${maxCpuMs} ms` }
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { place: 'not an Error', text: `Throws ${inspect(error)}` }
  const [, place = ''] = /\n +at (?:.* \()?((?:file:|\/)[^\n]*:\d+:\d+)\)?/.exec(error.stack ?? '') ?? []
  return { place: `${error.name} at ${place}`, text: withoutRunner(error.stack ?? String(error)) }
}

/** Removes the runner's lines from a stack trace. */
function withoutRunner(stack: string): string {
  const lines = stack.split('\n')
  return lines.filter((line) => !/^ +at .*(?:\/testing\/src\/fuzz\/|node:internal)/.test(line)).join('\n')
}
