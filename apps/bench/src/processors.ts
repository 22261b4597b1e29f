import { availableParallelism } from 'node:os'
import { findProgram } from './programs.ts'

/** Processor of the servers, and that of the load. */
export const SERVER_PROCESSOR = 0
export const LOAD_PROCESSOR = 1

/** Words to put before a command so that it runs on one processor; none where there is but one, or no `taskset`. */
export function onProcessor(processor: number): readonly string[] {
  return isPinned() ? ['taskset', '-c', String(processor)] : []
}

/** Whether servers and load have a processor each; figures say so. `FW_BENCH_PINNED=0` lets the system choose. */
export function isPinned(): boolean {
  return process.env['FW_BENCH_PINNED'] !== '0' && availableParallelism() > 1 && findProgram('taskset') !== undefined
}
