import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Logger } from '@fw/log'

const run = promisify(execFile)

/** The CPUs that this process may use; empty where the system does not tell. */
function allowedCpus(): readonly number[] {
  try {
    const [, list = ''] = /^Cpus_allowed_list:(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return parseCpuList(list)
  } catch {
    // Only Linux has this file; there is no pinning elsewhere either.
    return []
  }
}

/** Binds processes to one CPU each, by `taskset`. What cannot be done is one Warn record, and service goes on. */
export class CpuPinning {
  readonly #logger: Logger
  readonly #cpus: readonly number[]
  #hasFailed = false

  constructor(logger: Logger, cpus: readonly number[] = allowedCpus()) {
    this.#logger = logger
    this.#cpus = cpus
  }

  /** @param slot Counts from 0; more processes than CPUs share them in turn */
  async pin(pid: number, slot: number): Promise<void> {
    const cpu = this.#cpus[slot % this.#cpus.length]
    try {
      if (cpu === undefined) throw new Error('this system does not tell which CPUs there are')
      // All threads: those of the garbage collector and of the file system are there already.
      await run('taskset', ['--all-tasks', '--cpu-list', '--pid', String(cpu), String(pid)])
      this.#logger.info('Worker {} (process {}) is bound to CPU {}', slot + 1, pid, cpu)
    } catch (error) {
      if (this.#hasFailed || isGone(pid)) return
      this.#hasFailed = true
      this.#logger.warn('Cannot bind workers to CPUs: {}', reasonOf(error))
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'there is no taskset. Install it (package util-linux), or leave pinCpus out' : message
}

/** A process that ended in the meantime needs no CPU. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/**
 * Reads a list of CPUs as Linux writes it in `/proc/self/status`.
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
