import { objectWith, showValue, withCode } from '@fw/options'

/** The members that the store uses of a client from the `redis` package (`createClient()`). */
export interface RedisClient {
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
 * Milliseconds without a reply after which a connection is replaced. A half-open connection does not report a failure for
 * minutes.
 */
const STALL_MS = 1000

/**
 * @throws {TypeError} if the value is not a client, for example if it is an address or a client from another package
 */
export function requireClient(client: unknown): void {
  if (redisClient.accepts(client)) return
  // An address can contain a password.
  const got = typeof client === 'string' ? 'a string' : showValue(client)
  const fix = "Use createClient({ url: '…' })."
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(`redisRateLimits: client must be ${redisClient.expected}, got ${got}. ${fix}`),
  )
}

/** A connection to Redis, opened by the first command and replaced after a failure. Does not keep the process alive. */
export class RedisConnection {
  readonly #template: RedisClient
  #open: { readonly client: RedisClient; readonly connected: Promise<unknown> } | undefined = undefined
  #pending = 0
  /** Time of the last reply, or of the first pending command. */
  #progressMs = 0

  /** @param template Client whose options are copied. The client itself is not used */
  constructor(template: RedisClient) {
    this.#template = template
  }

  /** Sends a command and returns the reply. @throws if the connection fails or the reply is an error */
  async call(args: readonly string[]): Promise<unknown> {
    if (this.#pending > 0 && performance.now() - this.#progressMs > STALL_MS) this.drop()
    const open = (this.#open ??= this.#connect())
    if (this.#pending++ === 0) this.#progressMs = performance.now()
    let isConnected = false
    try {
      await open.connected
      isConnected = true
      return await open.client.sendCommand(args)
    } catch (error) {
      const isUsable = isConnected && isReply(error) && !isOfWrongServer(error)
      if (this.#open === open && !isUsable) this.drop()
      throw error
    } finally {
      this.#pending--
      if (this.#open === open) this.#progressMs = performance.now()
    }
  }

  /** Closes the connection. Pending calls reject, and the next call opens another connection. */
  drop(): void {
    const open = this.#open
    this.#open = undefined
    try {
      open?.client.destroy()
    } catch {
      // The client was already closed.
    }
  }

  #connect(): { client: RedisClient; connected: Promise<unknown> } {
    const client = this.#template.duplicate()
    // Calls report failures too. Without a listener, an 'error' event would end the process.
    client.on('error', () => {})
    client.unref()
    const connected = client.connect()
    // Pending calls reject with this error.
    connected.catch(() => {})
    this.#progressMs = performance.now()
    return { client, connected }
  }
}

/**
 * Reports whether an error is a Redis error reply, which begins with an upper-case code. Such a reply proves that the
 * connection works.
 */
function isReply(error: unknown): error is Error {
  return error instanceof Error && /^[A-Z]+ /.test(error.message)
}

/**
 * Reports whether a reply means that this server cannot run the command, for example because it became a replica in a failover.
 * Another connection may reach another server or authenticate again.
 *
 * Redis 6.2 quotes errors from commands in a script: `ERR Error running script (…): … -READONLY …`.
 */
function isOfWrongServer({ message }: Error): boolean {
  return /(?:^| -)(?:READONLY|MASTERDOWN|LOADING|NOAUTH) /.test(message)
}
