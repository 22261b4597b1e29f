import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'

/** A candidate under load, in a process of its own. */
export class LoggingServer implements AsyncDisposable {
  readonly name: string
  readonly port: number
  readonly logPath: string
  /** Requests it has answered. */
  requests = 0
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, name: string, logPath: string, port: number) {
    this.#child = child
    this.name = name
    this.logPath = logPath
    this.port = port
  }

  /** @param program Serves the candidate of that name, logging to the path, and sends its port */
  static async start(program: string, name: string, logPath: string): Promise<LoggingServer> {
    const child = fork(program, ['serve', name, logPath], { stdio: 'inherit' })
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return new LoggingServer(child, name, logPath, message.port)
  }

  /** CPU time that all its threads have used so far. */
  async cpuMicroseconds(): Promise<number> {
    const tasks = `/proc/${this.#child.pid}/task`
    let ns = 0
    for (const task of await readdir(tasks))
      ns += Number((await readFile(`${tasks}/${task}/schedstat`, 'utf8')).split(' ')[0])
    return ns / 1000
  }

  /** Lets it write what it still holds, and ends it. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this.#child, 'exit')
    this.#child.send('stop')
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
