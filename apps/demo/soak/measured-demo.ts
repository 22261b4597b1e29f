import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tempFolder, type TempFolder } from '@fw/testing'
import type { ProcessNumbers } from './heap-reporter.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const REPORTER = fileURLToPath(new URL('heap-reporter.ts', import.meta.url))

/** The demo in a process that reports its heap and its CPU time. */
export class MeasuredDemo implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #folder: TempFolder
  /** Address of the listener without TLS. */
  readonly url: URL

  private constructor(child: ChildProcess, folder: TempFolder, url: URL) {
    this.#child = child
    this.#folder = folder
    this.url = url
  }

  /** Starts the demo. @throws {Error} with its output if it exits */
  static async start(environment: Readonly<Record<string, string>>): Promise<MeasuredDemo> {
    const folder = await tempFolder()
    const child = spawn(process.execPath, ['--expose-gc', '--import', REPORTER, MAIN], {
      env: {
        PATH: process.env['PATH'] ?? '',
        DEMO_PORT: '0',
        DEMO_TLS_PORT: '0',
        DEMO_LOG_LEVEL: 'warn',
        DEMO_DATA_DIR: folder.path,
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    let output = ''
    for await (const chunk of child.stdout ?? []) {
      output += String(chunk)
      const address = /^ {2}(http:\S+)\s/m.exec(output)?.[1]
      if (address === undefined) continue
      child.stdout?.resume()
      return new MeasuredDemo(child, folder, new URL(address))
    }
    throw new Error(`The demo exited: ${output}`)
  }

  /** Runs a garbage collection in the server, and returns its memory and CPU time. */
  async measure(): Promise<ProcessNumbers> {
    const reply = once(this.#child, 'message')
    this.#child.send('measure')
    const [numbers] = (await reply) as [ProcessNumbers]
    return numbers
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await closed
    await this.#folder[Symbol.asyncDispose]()
  }
}
