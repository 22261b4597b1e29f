import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The output of a process, and its exit code. */
export interface Ended {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the demo in a new process, started as a user would start it. */
export class DemoProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  /** Resolves when the process has exited and all its output has arrived. */
  readonly #closed: Promise<unknown>
  #stdout = ''
  #stderr = ''

  constructor(environment: Readonly<Record<string, string>>, args: readonly string[] = []) {
    this.#child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env['PATH'] ?? '', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#closed = once(this.#child, 'close')
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text))
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text))
  }

  /** The output so far. */
  get stdout(): string {
    return this.#stdout
  }

  /** Waits until the process prints both addresses. @throws {Error} with its output if it exits first */
  async addresses(): Promise<{ cleartext: URL; tls: URL }> {
    for (;;) {
      const cleartext = /^ {2}(http:\S+)\s/m.exec(this.#stdout)?.[1]
      const tls = /^ {2}(https:\S+)\s/m.exec(this.#stdout)?.[1]
      if (cleartext !== undefined && tls !== undefined) return { cleartext: new URL(cleartext), tls: new URL(tls) }
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`The demo exited: ${this.#stdout}${this.#stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  /** Sends a signal, if given, and waits until the process exits. */
  async end(signal?: NodeJS.Signals): Promise<Ended> {
    if (signal !== undefined) this.#child.kill(signal)
    await this.#closed
    return { exitCode: this.#child.exitCode, stdout: this.#stdout, stderr: this.#stderr }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL')
  }
}
