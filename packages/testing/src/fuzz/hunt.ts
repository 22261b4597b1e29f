import { fork, type ChildProcess } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ChildReport, ChildTask } from './child.ts'
import { Random } from './random.ts'
import { loadTarget, type TargetFile } from './target.ts'

/** Milliseconds without progress after which a target counts as hung. Generous, because other processes also need the CPU. */
const HANG_MS = 30_000
const WATCH_MS = 250
/** The heap limit in MiB. Parsers of peer input need less memory. */
const MAX_HEAP_MB = 512
/** The exit code of Node.js if a top-level await never settles. */
const NEVER_SETTLES_CODE = 13

/** Options of `hunt`. */
export interface HuntOptions {
  readonly target: TargetFile
  /** The seed of the first input; each further input has the next seed. */
  readonly seed: number
  readonly seconds: number
  /** The maximum time without progress, in milliseconds. Default 30,000. */
  readonly hangMs?: number
  /** The heap limit in MiB. Default 512. */
  readonly maxHeapMb?: number
}

/** The result of a hunt. */
export interface HuntResult {
  readonly inputs: number
  readonly durationMs: number
  readonly finding?: Finding
}

/** An input on which a target throws, hangs or ends its process. */
export interface Finding {
  /** Description of the failure. */
  readonly text: string
  readonly input: unknown
  /**
   * The seed with which the input is the first one. For a failure that depends on earlier inputs, the first seed of the hunt.
   */
  readonly seed: number
  /** The length in characters of JSON before the input was minimized. */
  readonly foundLength: number
}

// docs/decisions/0109
/** Generates inputs for a target and checks them in a new process, until an input fails or the time has elapsed. */
export async function hunt(options: HuntOptions): Promise<HuntResult> {
  const { target, seed, seconds, hangMs = HANG_MS, maxHeapMb = MAX_HEAP_MB } = options
  const start = performance.now()
  const progress = new ProgressFile()
  try {
    const child = startChild({ path: target.path, seed, seconds }, progress.fd, maxHeapMb)
    const outcome = await outcomeOf(child, progress, hangMs)
    if (typeof outcome === 'string') {
      const { inputs } = progress.read()
      const input = (await loadTarget(target.path)).generate(new Random(seed + inputs))
      const finding = { text: outcome, input, foundLength: JSON.stringify(input).length, seed: seed + inputs }
      return { inputs: inputs + 1, durationMs: performance.now() - start, finding }
    }
    const { inputs, durationMs, failed } = outcome
    if (failed === undefined) return { inputs, durationMs }
    const { text, input, foundLength, isRepeatable } = failed
    const finding = { text, input, foundLength, seed: isRepeatable ? seed + inputs - 1 : seed }
    return { inputs, durationMs, finding }
  } finally {
    progress.close()
  }
}

function startChild(task: ChildTask, progressFd: number, maxHeapMb: number): ChildProcess {
  return fork(fileURLToPath(new URL('child.ts', import.meta.url)), [JSON.stringify(task)], {
    execArgv: [`--max-old-space-size=${maxHeapMb}`],
    stdio: ['ignore', 'ignore', 'pipe', progressFd, 'ipc'],
  })
}

/** @returns The report, or the reason why no report exists */
async function outcomeOf(child: ChildProcess, progress: ProgressFile, hangMs: number): Promise<ChildReport | string> {
  const outcome = Promise.withResolvers<ChildReport | string>()
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text))
  child.on('message', (report) => outcome.resolve(report as ChildReport))
  const closed = new Promise<void>((resolve) => {
    child.on('close', (code, signal) => {
      const end = `The process ends with ${signal ?? `code ${code}`}`
      outcome.resolve(code === NEVER_SETTLES_CODE ? 'The check never settles' : `${end}\n${errors.trim()}`)
      resolve()
    })
  })
  let seen = -1
  let since = performance.now()
  const watch = setInterval(() => {
    const { checks } = progress.read()
    if (checks !== seen) since = performance.now()
    else if (performance.now() - since > hangMs) outcome.resolve(`No input completed within ${hangMs} ms`)
    seen = checks
  }, WATCH_MS)
  const result = await outcome.promise
  clearInterval(watch)
  // Only SIGKILL terminates a process that never stops collecting garbage.
  child.kill('SIGKILL')
  await closed
  return result
}

/** An unlinked file to which the process writes its progress, because messages would be delayed until the end of a check. */
class ProgressFile {
  readonly fd: number

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), 'fuzz-'))
    this.fd = openSync(join(folder, 'progress'), 'w+')
    rmSync(folder, { recursive: true })
  }

  /** Returns the number of inputs before the current one, and the number of started checks. */
  read(): { inputs: number; checks: number } {
    const numbers = new Uint32Array(2)
    readSync(this.fd, numbers, 0, numbers.byteLength, 0)
    return { inputs: numbers[0] ?? 0, checks: numbers[1] ?? 0 }
  }

  close(): void {
    closeSync(this.fd)
  }
}
