import { checkOptions, integer, objectWith, type OptionKinds, showValue, text, withCode } from '@fw/options'
import type { SessionStore, StoredSession } from './session-store.ts'

/** Options of a command. */
export interface RedisCommandOptions {
  /** Milliseconds after which the client removes a command that it has not sent. */
  readonly timeout?: number
}

/** The members that the store uses of a client from the `redis` package (`createClient()`). */
export interface RedisSessionClient {
  /** Sends a command and returns its reply. */
  sendCommand(args: readonly string[], options?: RedisCommandOptions): Promise<unknown>
}

/** Options of `redisSessions()`. */
export interface RedisSessionsOptions {
  /** Text at the start of each key, before the hash of the ID. Default `'fw:session:'`. */
  readonly prefix?: string
  /** Time limit for a reply, in milliseconds. After this time, the request fails. Default 2,000. */
  readonly timeoutMs?: number
}

// A session is stored as a hash with the fields `v` (version), `d` (data) and `c` (time of creation). It expires with its key.

/** Script that returns the version, data, time of creation and remaining milliseconds; nil without a session. */
const READ = `
local found = redis.call('HMGET', KEYS[1], 'v', 'd', 'c')
if not found[1] then return false end
found[4] = redis.call('PTTL', KEYS[1])
return found`

const WRITE = `
redis.call('HSET', KEYS[1], 'v', ARGV[1], 'd', ARGV[2], 'c', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`

/** Script that stores a session. ARGV: version, data, time of creation, remaining milliseconds. */
const CREATE: string = WRITE

/** Script that stores a session if the stored version equals the last argument. It never creates a session. */
const REPLACE: string = `if redis.call('HGET', KEYS[1], 'v') ~= ARGV[5] then return 0 end${WRITE}`

/** Script that deletes a session if it has this version. */
const DELETE = `if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end return redis.call('DEL', KEYS[1])`

const KINDS: OptionKinds<RedisSessionsOptions> = { prefix: text, timeoutMs: integer(1, 600_000) }

const redisClient = objectWith('a client from the redis package', 'sendCommand')

/**
 * Creates a store that keeps sessions in Redis, so that all processes share them. Requires Redis 5 or later. Redis deletes
 * expired sessions itself.
 *
 * @param client A connected client from the `redis` package. The caller closes it
 * @throws {TypeError | RangeError} if the client is from another package, or an option is unknown or out of range
 *
 * @example
 * const client = await createClient({ url: 'redis://localhost' }).connect()
 * const sessions = session<{ user: string }>({ store: redisSessions(client) })
 */
export function redisSessions(client: RedisSessionClient, options: RedisSessionsOptions = {}): SessionStore {
  if (!redisClient.accepts(client)) {
    // An address can contain a password.
    const got = typeof client === 'string' ? 'a string' : showValue(client)
    const message = `redisSessions: client must be ${redisClient.expected}, got ${got}. Use createClient({ url: '…' }).`
    throw withCode('FW_INVALID_ARGUMENT', new TypeError(message))
  }
  checkOptions('redisSessions', options, KINDS, { ttl: 'idleTimeoutMs of session()' })
  return new RedisSessions(client, options)
}

class RedisSessions implements SessionStore {
  readonly #client: RedisSessionClient
  readonly #prefix: string
  readonly #timeoutMs: number

  constructor(client: RedisSessionClient, { prefix = 'fw:session:', timeoutMs = 2000 }: RedisSessionsOptions) {
    this.#client = client
    this.#prefix = prefix
    this.#timeoutMs = timeoutMs
  }

  async read(key: string): Promise<StoredSession | undefined> {
    const reply = await this.#run(READ, key)
    if (!Array.isArray(reply)) return undefined
    const [version, json, createdAtMs, remainingMs] = reply.map(String)
    // Redis measures the time, so the clocks of the processes can differ.
    const expiresAtMs = Date.now() + Number(remainingMs)
    return { version: Number(version), json: json ?? '', createdAtMs: Number(createdAtMs), expiresAtMs }
  }

  async create(key: string, session: StoredSession): Promise<void> {
    await this.#run(CREATE, key, ...valuesOf(session))
  }

  async replace(key: string, version: number, session: StoredSession): Promise<boolean> {
    return Number(await this.#run(REPLACE, key, ...valuesOf(session), String(version))) === 1
  }

  async touch(key: string, expiresAtMs: number): Promise<void> {
    // The command has no effect on a key that does not exist.
    await this.#call(['PEXPIRE', this.#prefix + key, remaining(expiresAtMs)])
  }

  async delete(key: string, version?: number): Promise<boolean> {
    const reply =
      version === undefined ? this.#call(['DEL', this.#prefix + key]) : this.#run(DELETE, key, String(version))
    return Number(await reply) === 1
  }

  /** Runs a script with one key, which Redis executes atomically. */
  #run(script: string, key: string, ...args: readonly string[]): Promise<unknown> {
    return this.#call(['EVAL', script, '1', this.#prefix + key, ...args])
  }

  /**
   * @throws if Redis replies with an error or does not reply in time
   */
  async #call(command: readonly string[]): Promise<unknown> {
    const timeout = this.#timeoutMs
    const late = Promise.withResolvers<never>()
    // A half-open connection does not report a failure. Without the limit, each request would wait for minutes.
    const timer = setTimeout(() => late.reject(noReply(timeout)), timeout)
    try {
      return await Promise.race([this.#client.sendCommand(command, { timeout }), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

function valuesOf({ version, json, createdAtMs, expiresAtMs }: StoredSession): string[] {
  return [String(version), json, String(createdAtMs), remaining(expiresAtMs)]
}

/**
 * Returns the remaining time in milliseconds. At least 1: with 0, Redis would refuse some commands, and other commands
 * would delete the key.
 */
function remaining(expiresAtMs: number): string {
  return String(Math.max(1, Math.ceil(expiresAtMs - Date.now())))
}

function noReply(timeoutMs: number): Error {
  const message = `Redis did not answer within ${timeoutMs} ms. Check the connection, or raise timeoutMs.`
  return withCode('FW_REDIS_TIMEOUT', new Error(message))
}
