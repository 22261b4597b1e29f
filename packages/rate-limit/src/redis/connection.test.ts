import { describe, expect, it } from 'vitest'
import { type RedisClient, RedisConnection } from './connection.ts'

/** A client whose copies reply or fail as the test specifies. */
class StubClient implements RedisClient {
  /** The copies, each with its state. */
  readonly copies: StubClient[] = []
  readonly #parent: StubClient | undefined
  isDestroyed = false
  connectError: Error | undefined = undefined
  commandError: Error | undefined = undefined

  constructor(parent?: StubClient) {
    this.#parent = parent
  }

  duplicate(): RedisClient {
    const copy = new StubClient(this)
    this.copies.push(copy)
    return copy
  }

  async connect(): Promise<void> {
    if (this.#parent?.connectError) throw this.#parent.connectError
  }

  destroy(): void {
    this.isDestroyed = true
  }

  unref(): void {}

  on(): void {}

  async sendCommand(): Promise<unknown> {
    if (this.#parent?.commandError) throw this.#parent.commandError
    return 'OK'
  }
}

const statesOf = ({ copies }: StubClient): boolean[] => copies.map(({ isDestroyed }) => isDestroyed)

describe('RedisConnection', () => {
  it.each([
    "READONLY You can't write against a read only replica.",
    "READONLY You can't write against a read only replica. script: 0a1b, on @user_script:14.",
    "ERR Error running script (call to f_0a1b): @user_script:14: @user_script: 14: -READONLY You can't write against a read only replica.",
    "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
    'LOADING Redis is loading the dataset in memory',
    'NOAUTH Authentication required.',
    'Socket closed unexpectedly',
  ])('opens a new connection after "%s"', async (message) => {
    const template = new StubClient()
    const connection = new RedisConnection(template)
    template.commandError = new Error(message)
    await expect(connection.call(['GET', 'a'])).rejects.toThrow(message)
    expect(statesOf(template)).toEqual([true])
    template.commandError = undefined
    expect(await connection.call(['GET', 'a'])).toBe('OK')
    expect(statesOf(template)).toEqual([true, false])
  })

  it.each([
    'NOSCRIPT No matching script. Please use EVAL.',
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    'ERR unknown command',
    'OOM command not allowed when used memory > maxmemory.',
  ])('keeps the connection after "%s"', async (message) => {
    const template = new StubClient()
    const connection = new RedisConnection(template)
    template.commandError = new Error(message)
    await expect(connection.call(['GET', 'a'])).rejects.toThrow(message)
    template.commandError = undefined
    expect(await connection.call(['GET', 'a'])).toBe('OK')
    expect(statesOf(template)).toEqual([false])
  })

  it('opens a new connection if Redis refuses the password, which may be corrected later', async () => {
    const template = new StubClient()
    const connection = new RedisConnection(template)
    template.connectError = new Error('WRONGPASS invalid username-password pair or user is disabled.')
    await expect(connection.call(['GET', 'a'])).rejects.toThrow('WRONGPASS')
    template.connectError = undefined
    expect(await connection.call(['GET', 'a'])).toBe('OK')
    expect(statesOf(template)).toEqual([true, false])
  })
})
