import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { LOAD_CPU, onCpu } from '../cpus.ts'

/** Runs a load generator on its CPU. @returns the standard output */
export async function runGenerator(command: readonly string[]): Promise<string> {
  const [program = '', ...words] = [...onCpu(LOAD_CPU), ...command]
  const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 2 ** 24 })
  return stdout
}
