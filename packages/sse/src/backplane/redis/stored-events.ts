import type { BackplaneHost } from '../backplane.ts'
import type { RedisConnection } from './connection.ts'
import { compareEntryIds, entryOf, FIRST_ENTRY, parseEntries, type RedisEntry } from './entry.ts'
import { inBatches } from './outbox.ts'
import { addCommand } from './script.ts'

/** Minimum number of entries to keep in Redis, for processes that are briefly disconnected. */
const MIN_KEPT = 1000

/** Stores one channel's events in Redis. Adds entries, and restores the entries that Redis has lost. */
export class StoredEvents {
  readonly key: string
  /** Time limit of a command, in milliseconds. */
  readonly timeoutMs: number
  /** The entry that Redis must have before entries are added: the last one received, unless it is permanently lost. */
  floor: string = FIRST_ENTRY
  #host: BackplaneHost | undefined = undefined

  constructor(key: string, timeoutMs: number) {
    this.key = key
    this.timeoutMs = timeoutMs
  }

  /** Sets the channel, whose history can restore lost entries. */
  open(host: BackplaneHost): void {
    this.#host = host
  }

  /** Returns the ID of the newest entry in Redis. */
  async newest(connection: RedisConnection): Promise<string> {
    const reply = await connection.call(['XREVRANGE', this.key, '+', '-', 'COUNT', '1'], this.timeoutMs)
    return parseEntries(reply)[0]?.entryId ?? FIRST_ENTRY
  }

  /**
   * Adds entries.
   *
   * @param seen Redis refuses the entries if its newest entry is older than this one
   */
  async add(connection: RedisConnection, entries: readonly RedisEntry[], seen: string = this.floor): Promise<void> {
    await connection.call(addCommand(this.key, this.#maxLength, seen, entries), this.timeoutMs)
  }

  /** Restores the entries that Redis lost, for example because it restarted without its data or with older data. */
  async restore(connection: RedisConnection): Promise<void> {
    if (this.#host === undefined) return
    const newest = await this.newest(connection)
    if (compareEntryIds(newest, this.floor) >= 0) return
    const lost = [...this.#host.kept()].map(entryOf).filter(({ entryId }) => compareEntryIds(entryId, newest) > 0)
    for (const batch of inBatches(lost)) await this.add(connection, batch, FIRST_ENTRY)
    this.floor = await this.newest(connection)
  }

  get #maxLength(): number {
    return Math.min(Math.max(this.#host?.historyCount ?? 0, MIN_KEPT), Number.MAX_SAFE_INTEGER)
  }
}
