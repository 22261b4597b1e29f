import { readFile, readdir } from 'node:fs/promises'

/** What a process and its children have used so far, and hold now. */
export interface Usage {
  /** User and system time of all threads. */
  readonly cpuMicros: number
  readonly rssBytes: number
  readonly openFiles: number
}

/** Clock ticks a second in `/proc/<pid>/stat`; 100 on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** @throws {Error} if the process has ended, or the machine is no Linux */
export async function processUsage(pid: number): Promise<Usage> {
  let [cpuMicros, rssBytes, openFiles] = [0, 0, 0]
  for (const id of [pid, ...(await childrenOf(pid))]) {
    cpuMicros += await cpuMicrosOf(id)
    const status = await readFile(`/proc/${id}/status`, 'utf8')
    rssBytes += Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024
    openFiles += (await readdir(`/proc/${id}/fd`)).length
  }
  return { cpuMicros, rssBytes, openFiles }
}

/** nginx works in processes of its own. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** `stat` counts threads that have ended too, which `/proc/<pid>/task` does not. */
async function cpuMicrosOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The second field, the name, may hold spaces; it ends with the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6
}
