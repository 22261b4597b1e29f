import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram, missingProgram } from '../programs.ts'
import type { Load } from './load.ts'

/** Modes for `spdlog.cpp`, by candidate. */
export const SPDLOG_MODES: Readonly<Record<string, string>> = {
  'spdlog native buffered': 'buffered',
  'spdlog native flush': 'flush',
  'spdlog native async': 'async',
}

const SOURCE = join(import.meta.dirname, 'spdlog.cpp')
const HEADERS = ['/usr/include', '/usr/local/include'].map((folder) => join(folder, 'spdlog', 'spdlog.h'))

/** Returns the reason why spdlog cannot be measured, or `undefined` if it can. */
export function missingSpdlog(): string | undefined {
  if (HEADERS.some((path) => existsSync(path))) return missingProgram('g++')
  return 'spdlog is not installed; on Debian, run scripts/install-bench-tools.sh (package libspdlog-dev)'
}

/** Paths of the compiled programs by build folder. */
const built = new Map<string, Promise<string>>()

/** Returns the path of the program, which the first call compiles. @throws {Error} with the compiler output */
function build(folder: string): Promise<string> {
  let program = built.get(folder)
  if (program === undefined) built.set(folder, (program = compile(join(folder, 'spdlog'))))
  return program
}

async function compile(program: string): Promise<string> {
  const flags = ['-O2', '-std=c++17', '-pthread', '-DSPDLOG_FMT_EXTERNAL', '-DFMT_HEADER_ONLY']
  await promisify(execFile)(findProgram('g++') ?? 'g++', [...flags, SOURCE, '-o', program])
  return program
}

/** Measures spdlog and returns the printed figure. @param folder Build folder */
export async function measureSpdlog(mode: string, load: Load, path: string, folder: string): Promise<string> {
  const { mode: work, calls, warmUp } = load
  const { stdout } = await promisify(execFile)(await build(folder), [mode, work, path, String(calls), String(warmUp)])
  return stdout
}
