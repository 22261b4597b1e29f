import { objectWith, showValue } from '@fw/options'

/** As much of a client of the package `redis` as is used: what `createClient()` gives. */
export interface RedisClient {
  readonly isOpen: boolean
  duplicate(): RedisClient
  connect(): Promise<unknown>
  destroy(): void
  unref(): void
  sendCommand(args: readonly string[]): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
}

const METHODS = ['duplicate', 'connect', 'destroy', 'unref', 'sendCommand', 'on'] as const
const redisClient = objectWith('a client of the package redis', ...METHODS)

/** @throws {TypeError} if a value is not a client, for example one of another package or an address */
export function requireClient(client: unknown): void {
  if (redisClient.accepts(client)) return
  // An address can contain a password.
  const got = typeof client === 'string' ? 'a string' : showValue(client)
  throw new TypeError(
    `RedisBackplane: client must be ${redisClient.expected}, got ${got}. Use createClient({ url: '…' }).`,
  )
}

/**
 * One connection to Redis that is replaced when it fails. By itself it keeps no process alive.
 *
 * A half-open connection does not fail by itself, so every call has a time limit.
 */
export class RedisConnection {
  readonly #template: RedisClient
  /** Whether a call that has no reply yet keeps the process alive. */
  readonly holdsProcess: boolean
  #client: RedisClient | undefined = undefined
  #connecting: Promise<unknown> | undefined = undefined
  #isClosed = false

  /**
   * @param template Its options are used, it itself is not
   */
  constructor(template: RedisClient, holdsProcess: boolean) {
    this.#template = template
    this.holdsProcess = holdsProcess
  }

  /**
   * Sends a command and gives the reply.
   *
   * @throws if there is no reply in time, or it is an error; the connection is then replaced at the next call
   */
  async call(args: readonly string[], timeoutMs: number): Promise<unknown> {
    const client = this.#open()
    const tooLate = Promise.withResolvers<never>()
    // Timers come first in a turn: where the process stood still, the reply may be there and not be read yet.
    const timer = setTimeout(() => {
      setImmediate(() => tooLate.reject(new Error(`Redis did not answer within ${timeoutMs} ms`)))
    }, timeoutMs)
    if (!this.holdsProcess) timer.unref()
    try {
      return await Promise.race([this.#send(client, args), tooLate.promise])
    } catch (error) {
      this.#drop(client)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#isClosed = true
    if (this.#client !== undefined) this.#drop(this.#client)
  }

  #open(): RedisClient {
    if (this.#isClosed) throw new Error('The connection to Redis was closed')
    if (this.#client === undefined) {
      this.#client = this.#template.duplicate()
      // What goes wrong is known from the calls; without a listener it would end the process.
      this.#client.on('error', () => {})
      this.#client.unref()
      this.#connecting = this.#client.connect()
      // The calls that wait for it are told.
      this.#connecting.catch(() => {})
    }
    return this.#client
  }

  async #send(client: RedisClient, args: readonly string[]): Promise<unknown> {
    await this.#connecting
    return client.sendCommand(args)
  }

  #drop(client: RedisClient): void {
    if (this.#client === client) this.#client = undefined
    try {
      client.destroy()
    } catch {
      // It was closed already, which is all that is wanted.
    }
  }
}
