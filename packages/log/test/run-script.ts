import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Milliseconds after which a script counts as hung and is killed. */
const TIMEOUT_MS = 120_000

const ENTRY = new URL('../src/index.ts', import.meta.url).href

/** The options of a script. */
export interface ScriptOptions {
  readonly nodeFlags?: readonly string[]
  readonly args?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

/** Runs a module in a new Node.js process. `log` is this package; the source begins on line 2 of the module. */
export function runScript(source: string, options: ScriptOptions = {}): SpawnSyncReturns<string> {
  const file = join(temporaryDirectory(), 'script.ts')
  writeFileSync(file, `import * as log from ${JSON.stringify(ENTRY)}\n${source}\n`)
  return spawnSync(process.execPath, [...(options.nodeFlags ?? []), file, ...(options.args ?? [])], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...options.env },
    timeout: TIMEOUT_MS,
  })
}

/** Like `runScript`, but with a terminal as stdin, stdout and stderr. `stdout` contains all terminal output. */
export function runOnTerminal(source: string): { readonly stdout: string } {
  const file = join(temporaryDirectory(), 'script.ts')
  writeFileSync(file, `import * as log from ${JSON.stringify(ENTRY)}\n${source}\n`)
  const command = `'${process.execPath}' '${file}'`
  const { stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIMEOUT_MS,
  })
  return { stdout }
}

/** Creates a temporary directory, which is removed after the current test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fw-log-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}
