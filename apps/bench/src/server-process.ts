import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Clock ticks a second in `/proc/<pid>/stat`; 100 on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100

/** A server under load, in a process of its own. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /** @param name File in `servers/` without its ending; the program sends its port */
  static async start(name: string): Promise<ServerProcess> {
    const child = fork(fileURLToPath(new URL(`servers/${name}.ts`, import.meta.url)), { stdio: 'inherit' })
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return new ServerProcess(child, message.port)
  }

  /** CPU time the process has used so far, in seconds, of all its threads. */
  async cpuSeconds(): Promise<number> {
    const stat = await readFile(`/proc/${this.#child.pid}/stat`, 'utf8')
    // The second field, the name, may hold spaces; it ends with the last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await closed
  }
}
