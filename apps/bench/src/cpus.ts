import { availableParallelism } from 'node:os'
import { findProgram } from './programs.ts'

/** The servers' CPU. */
export const SERVER_CPU = 0
/** CPU of the load generators and clients. */
export const LOAD_CPU = 1

/** Returns the command prefix that pins a process to one CPU; empty with a single CPU or without `taskset`. */
export function onCpu(cpu: number): readonly string[] {
  return isPinned() ? ['taskset', '-c', String(cpu)] : []
}

/** Reports whether servers and load generators are pinned to separate CPUs. `FW_BENCH_PINNED=0` disables pinning. */
export function isPinned(): boolean {
  return process.env['FW_BENCH_PINNED'] !== '0' && availableParallelism() > 1 && findProgram('taskset') !== undefined
}
