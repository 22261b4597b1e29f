import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { RunningServer, ServerDemand } from '@fw/testing'
import type { Report } from './serve.ts'

/** Runs a server in a separate process, so that its memory can be measured. */
export class ServerProcess implements RunningServer {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(demand: ServerDemand): Promise<ServerProcess> {
    const child = fork(fileURLToPath(new URL('serve.ts', import.meta.url)), { execArgv: ['--expose-gc'] })
    child.send(demand)
    const [report] = (await once(child, 'message')) as [Report]
    if (!('port' in report)) throw new Error('The server did not start')
    return new ServerProcess(child, report.port)
  }

  /** Returns the resident memory in bytes after a garbage collection. */
  async rssBytes(): Promise<number> {
    this.#child.send('rss')
    const report = await this.#next()
    return 'rssBytes' in report ? report.rssBytes : NaN
  }

  /**
   * Resolves when the server aborts a response or detects an abort, with the time in milliseconds since the epoch.
   */
  async abortedAtMs(): Promise<number> {
    const report = await this.#next()
    return 'abortedAtMs' in report ? report.abortedAtMs : NaN
  }

  async close(): Promise<void> {
    const closed = once(this.#child, 'exit')
    this.#child.disconnect()
    await closed
  }

  async #next(): Promise<Report> {
    const [report] = (await once(this.#child, 'message')) as [Report]
    return report
  }
}
