import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { nextMessage } from './next-message.ts'
import { processUsage, type Usage } from './process-usage.ts'
import { SERVER_PROCESSOR, onProcessor } from './processors.ts'

/** How long a server may take to listen, also where several start at the same time on a busy machine. */
export const START_TIMEOUT_MS = 60_000
/** How long it may take to end when asked to, before it is killed. */
const STOP_TIMEOUT_MS = 10_000

/** A server under measurement: a process on the processor of the servers. Leaving the scope ends it. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /**
   * Runs a program that sends `{ port }` when it listens, as `ready` does.
   *
   * @throws {Error} if it ends before that, or does not listen in time
   */
  static async program(command: readonly string[]): Promise<ServerProcess> {
    const child = launch(command, ['ignore', 'ignore', 'pipe', 'ipc'])
    const message = once(child, 'message', { signal: AbortSignal.timeout(START_TIMEOUT_MS) })
    const [{ port }] = (await settled(child, command, message)) as [{ readonly port: number }]
    return new ServerProcess(child, port)
  }

  /**
   * Runs a program that was told its port, and waits until it takes requests.
   *
   * @param listens Resolves when it does
   */
  static async daemon(command: readonly string[], port: number, listens: () => Promise<void>): Promise<ServerProcess> {
    const child = launch(command, ['ignore', 'ignore', 'pipe'])
    await settled(child, command, listens())
    return new ServerProcess(child, port)
  }

  usage(): Promise<Usage> {
    return processUsage(this.#child.pid ?? 0)
  }

  /**
   * Asks a server program something by a message and waits for its next message.
   *
   * @throws {Error} if it ends before
   */
  ask(message: string | number): Promise<unknown> {
    const response = nextMessage(this.#child)
    this.notify(message)
    return response
  }

  /** Tells a server program something that it does not answer. */
  notify(message: string | number): void {
    // Who waits for its response is told if it has ended.
    this.#child.send(message, () => {})
  }

  /** Lets it end by itself, with everything written that it holds. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    const deadline = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS)
    this.#child.kill('SIGTERM')
    await ended
    clearTimeout(deadline)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** They end with this program, however it ends. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function launch(command: readonly string[], stdio: ('ignore' | 'pipe' | 'ipc')[]): ChildProcess {
  const [program = '', ...words] = [...onProcessor(SERVER_PROCESSOR), ...command]
  const child = spawn(program, words, { stdio })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** What is awaited, or the failure of the process if that comes first. */
async function settled<T>(child: ChildProcess, command: readonly string[], awaited: Promise<T>): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const complaint = complaintOf(child.stderr)
  const onExit = (code: number | null): void => {
    reject(new Error(`${command[0]} ended with ${code} before it listened: ${complaint()}`))
  }
  child.once('error', reject)
  child.once('exit', onExit)
  try {
    return await Promise.race([awaited, failed])
  } catch (error) {
    child.kill('SIGKILL')
    awaited.catch(() => {})
    throw error
  } finally {
    child.off('exit', onExit)
  }
}

/** The error among what a program said; nothing is printed, as some say much without need. */
function complaintOf(output: Readable | null): () => string {
  let tail = ''
  output?.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-4000)))
  return () => /^\w*Error\b.*$/m.exec(tail)?.[0] ?? tail.trim()
}
