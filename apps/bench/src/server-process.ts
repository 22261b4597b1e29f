import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { nextMessage } from './next-message.ts'
import { processUsage, type Usage } from './process-usage.ts'
import { SERVER_CPU, onCpu } from './cpus.ts'

/** Milliseconds within which a server must listen. Several servers can start at the same time on a busy machine. */
export const START_TIMEOUT_MS = 60_000
/** Milliseconds within which a server must exit after SIGTERM. A server that takes longer gets SIGKILL. */
const STOP_TIMEOUT_MS = 10_000

/** The process of a measured server, pinned to the servers' CPU. Leaving the scope stops it. */
export class ServerProcess implements AsyncDisposable {
  readonly port: number
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  /**
   * Starts a program that sends `{ port }` when it is listening, as `ready()` does.
   *
   * @throws {Error} if the program exits first or does not listen in time
   */
  static async program(command: readonly string[]): Promise<ServerProcess> {
    const child = launch(command, ['ignore', 'ignore', 'pipe', 'ipc'])
    const message = once(child, 'message', { signal: AbortSignal.timeout(START_TIMEOUT_MS) })
    const [{ port }] = (await settled(child, command, message)) as [{ readonly port: number }]
    return new ServerProcess(child, port)
  }

  /**
   * Starts a program with a given port and waits until it accepts connections.
   *
   * @param listens Resolves when the program accepts connections
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
   * Sends a message to a server program and returns its next message.
   *
   * @throws {Error} if the program exits first
   */
  ask(message: string | number): Promise<unknown> {
    const response = nextMessage(this.#child)
    this.notify(message)
    return response
  }

  /** Sends a message that has no reply. */
  notify(message: string | number): void {
    // Ignore the error: `nextMessage` rejects if the process has exited.
    this.#child.send(message, () => {})
  }

  /** Sends SIGTERM and waits until the process has written its buffers and exited. */
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

/** Running servers, which are killed when this program exits. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function launch(command: readonly string[], stdio: ('ignore' | 'pipe' | 'ipc')[]): ChildProcess {
  const [program = '', ...words] = [...onCpu(SERVER_CPU), ...command]
  const child = spawn(program, words, { stdio })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Resolves with the value of `awaited`. @throws {Error} if the process fails first */
async function settled<T>(child: ChildProcess, command: readonly string[], awaited: Promise<T>): Promise<T> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const errorText = errorIn(child.stderr)
  const onExit = (code: number | null): void => {
    reject(new Error(`${command[0]} exited with ${code} before it listened: ${errorText()}`))
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

/** Returns a function that finds the error in a program's output. The output itself can be long, so it is not printed. */
function errorIn(output: Readable | null): () => string {
  let tail = ''
  output?.setEncoding('utf8').on('data', (text: string) => (tail = (tail + text).slice(-4000)))
  return () => /^\w*Error\b.*$/m.exec(tail)?.[0] ?? tail.trim()
}
