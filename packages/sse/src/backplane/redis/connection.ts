import { objectWith, showValue, withCode } from '@fw/options'

/** The members of a client from the `redis` package (`createClient()`) that a backplane uses. */
export interface RedisClient {
  /** Whether the client is connected or connecting. */
  readonly isOpen: boolean
  /** Creates a client with the same options. */
  duplicate(): RedisClient
  /** Connects to the server. */
  connect(): Promise<unknown>
  /** Closes the connection, and rejects pending commands. */
  destroy(): void
  /** Allows the process to exit while the connection is open. */
  unref(): void
  /** Sends a command and returns its reply. */
  sendCommand(args: readonly string[]): Promise<unknown>
  /** Adds a listener for connection errors. */
  on(event: 'error', listener: (error: Error) => void): unknown
}

const METHODS = ['duplicate', 'connect', 'destroy', 'unref', 'sendCommand', 'on'] as const
const redisClient = objectWith('a client from the redis package', ...METHODS)

/**
 * @throws {TypeError} if the value is not a client, for example if it is an address or a client from another package
 */
export function requireClient(client: unknown): void {
  if (redisClient.accepts(client)) return
  // An address can contain a password.
  const got = typeof client === 'string' ? 'a string' : showValue(client)
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(
      `RedisBackplane: client must be ${redisClient.expected}, got ${got}. Use createClient({ url: '…' }).`,
    ),
  )
}

/**
 * A connection to Redis that is replaced after a failure. An idle connection does not keep the process alive.
 *
 * A half-open connection does not report a failure, so every call has a time limit.
 */
export class RedisConnection {
  readonly #template: RedisClient
  /** Whether a pending call keeps the process alive. */
  readonly holdsProcess: boolean
  #client: RedisClient | undefined = undefined
  #connecting: Promise<unknown> | undefined = undefined
  #isClosed = false

  /**
   * @param template Client whose options are copied. The client itself is not used
   */
  constructor(template: RedisClient, holdsProcess: boolean) {
    this.#template = template
    this.holdsProcess = holdsProcess
  }

  /**
   * Sends a command and returns the reply.
   *
   * @throws if the reply is an error or does not arrive in time. The next call then opens a new connection
   */
  async call(args: readonly string[], timeoutMs: number): Promise<unknown> {
    const client = this.#open()
    const tooLate = Promise.withResolvers<never>()
    // Timers run before I/O. After a suspension of the process, the reply may have arrived but not been read.
    const timer = setTimeout(() => {
      setImmediate(() =>
        tooLate.reject(
          withCode(
            'FW_REDIS_TIMEOUT',
            new Error(`Redis did not answer within ${timeoutMs} ms. Check the connection, or raise timeoutMs.`),
          ),
        ),
      )
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
    if (this.#isClosed) throw withCode('FW_BACKPLANE_CLOSED', new Error('The connection to Redis was closed'))
    if (this.#client === undefined) {
      this.#client = this.#template.duplicate()
      // Calls report failures too. Without a listener, an 'error' event would end the process.
      this.#client.on('error', () => {})
      this.#client.unref()
      this.#connecting = this.#client.connect()
      // Pending calls reject with this error.
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
      // The client was already closed.
    }
  }
}
