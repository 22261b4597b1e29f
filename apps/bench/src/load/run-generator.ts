import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { LOAD_PROCESSOR, onProcessor } from '../processors.ts'

/** Runs a load generator on the processor of the load. @returns What it prints */
export async function runGenerator(command: readonly string[]): Promise<string> {
  const [program = '', ...words] = [...onProcessor(LOAD_PROCESSOR), ...command]
  const { stdout } = await promisify(execFile)(program, words, { maxBuffer: 2 ** 24 })
  return stdout
}
