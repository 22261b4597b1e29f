import { Worker } from 'node:worker_threads'
import type { ClientResults, ClientTask, Target, TaskMessage, ThreadMessage } from './tasks.ts'
import type { LoadProgress } from './load.ts'

/** The thread in which the demo's clients run. */
export class ClientThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>()
  /** Receives the progress of the load. */
  onLoad: (progress: LoadProgress) => void = () => {}
  #count = 0

  constructor(target: Target) {
    this.#worker = new Worker(new URL('thread-main.ts', import.meta.url), { workerData: target, stderr: false })
    this.#worker.unref()
    this.#worker.on('message', (message: ThreadMessage) => this.#receive(message))
    this.#worker.on('error', (error) => this.#failAll(error as Error))
    this.#worker.on('exit', () => this.#failAll(new Error('The client thread exited')))
  }

  /** Runs a task. @throws {Error} if the clients fail */
  run<T extends ClientTask>(task: T): Promise<T['task'] extends keyof ClientResults ? ClientResults[T['task']] : void> {
    const id = this.#count++
    const pending = Promise.withResolvers<unknown>()
    this.#pending.set(id, pending)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#worker.postMessage({ id, task } satisfies TaskMessage)
    return pending.promise as never
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive(message: ThreadMessage): void {
    if ('load' in message) return this.onLoad(message.load)
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if (message.error === undefined) pending?.resolve(message.result)
    else pending?.reject(new Error(message.error))
  }

  #failAll(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }
}
