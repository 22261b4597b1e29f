import { readFile, readdir } from 'node:fs/promises'

/** Resource usage of a process and its children. */
export interface Usage {
  /** User and system time of all threads since the process started. */
  readonly cpuMicros: number
  readonly rssBytes: number
  readonly openFiles: number
}

/** Clock ticks per second in `/proc/<pid>/stat`: 100 on every Linux that Node.js supports. */
const TICKS_PER_SECOND = 100

/** Reads the resource usage of a process from `/proc`. @throws {Error} if the process has exited */
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

/** Returns the child processes, because nginx serves requests in them. */
async function childrenOf(pid: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.split(' ').filter(Boolean).map(Number)
}

/** Reads `/proc/<pid>/stat`, which, unlike `/proc/<pid>/task`, includes threads that have ended. */
async function cpuMicrosOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The second field is the name, which can contain spaces. It ends at the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6
}
