import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Logger } from '@fw/log'

const run = promisify(execFile)

/** Returns the CPUs that this process can use, or an empty list if the system does not report them. */
function allowedCpus(): readonly number[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return parseCpuList(list)
  } catch {
    // Only Linux has this file. Other systems do not support pinning.
    return []
  }
}

/** Binds processes to one CPU each with `taskset`. A failure causes one Warn record and no error. */
export class CpuPinning {
  readonly #logger: Logger
  readonly #cpus: readonly number[]
  #hasFailed = false

  constructor(logger: Logger, cpus: readonly number[] = allowedCpus()) {
    this.#logger = logger
    this.#cpus = cpus
  }

  /** @param slot The worker's number, from 0. With more workers than CPUs, several share a CPU */
  async pin(pid: number, slot: number): Promise<void> {
    const cpu = this.#cpus[slot % this.#cpus.length]
    if (cpu === undefined) {
      this.#failed('this system does not report its CPUs')
      return
    }
    try {
      // Bind all threads, because those for garbage collection and the file system already exist.
      await run('taskset', ['--all-tasks', '--cpu-list', '--pid', String(cpu), String(pid)])
      this.#logger.info('Worker {} (process {}) is bound to CPU {}', slot + 1, pid, cpu)
    } catch (error) {
      if (!isGone(pid)) this.#failed(reasonOf(error))
    }
  }

  #failed(reason: string): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#logger.warn('Cannot bind workers to CPUs: {}', reason)
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'taskset is not installed. Install it (package util-linux), or omit pinCpus' : message
}

/** Reports whether the process has ended in the meantime. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/**
 * Parses a list of CPUs in the format of `/proc/self/status` on Linux.
 *
 * @example
 * parseCpuList('0-2,8')    // [0, 1, 2, 8]
 */
export function parseCpuList(text: string): number[] {
  const cpus: number[] = []
  for (const [, first, last = first] of text.matchAll(/(\d+)(?:-(\d+))?/g)) {
    for (let cpu = Number(first); cpu <= Number(last); cpu++) cpus.push(cpu)
  }
  return cpus
}
