import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What one round of load measured. */
export interface Load {
  readonly requestsPerSecond: number
  readonly requests: number
}

/**
 * Loads an address with `wrk` from 32 keep-alive connections on one thread.
 *
 * @throws {Error} if `wrk` is missing or an answer was not a success
 */
export async function load(url: string, seconds: number): Promise<Load> {
  const { stdout } = await promisify(execFile)('wrk', ['-t1', '-c32', `-d${seconds}s`, url]).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new Error('wrk is not installed; on Debian: apt-get install wrk')
  })
  const failures = /Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)/.exec(stdout)
  if (failures !== null) throw new Error(`The server failed under load: ${failures[0]}`)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  const requestsPerSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1])
  if (!(requests > 0)) throw new Error(`wrk reported no requests:\n${stdout}`)
  return { requestsPerSecond, requests }
}
