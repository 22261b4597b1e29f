import type { ChannelSettings } from './channel-options.ts'
import type { EventStream } from '../stream/event-stream.ts'

/** The limit that a stream would exceed. */
export type ExceededLimit = 'maxStreams' | 'maxStreamsPerAddress' | 'maxStreamsPerSession'

/** The counters of a stream without an address or session limit. */
const NOTHING: readonly string[] = []

/** Counts a channel's streams in total, per client address and per shared connection. */
// docs/decisions/0062
export class Admission {
  readonly #settings: ChannelSettings
  readonly #counts = new Map<string, number>()
  #size = 0

  constructor(settings: ChannelSettings) {
    this.#settings = settings
  }

  /** Counts a stream. Returns the argument for `leave`, or the limit that the stream would exceed. */
  enter(stream: EventStream): readonly string[] | ExceededLimit {
    const { maxStreams, maxStreamsPerAddress, maxStreamsPerSession } = this.#settings
    if (this.#size >= maxStreams) return 'maxStreams'
    const address = maxStreamsPerAddress === Infinity ? undefined : stream.clientAddress
    const session = maxStreamsPerSession === Infinity ? undefined : stream.session
    let counted = NOTHING
    if (address !== undefined) {
      if (this.#count(address) >= maxStreamsPerAddress) return 'maxStreamsPerAddress'
      counted = [address]
    }
    if (session !== undefined) {
      if (this.#count(session) >= maxStreamsPerSession) return 'maxStreamsPerSession'
      counted = [...counted, session]
    }
    this.#size++
    for (const name of counted) this.#counts.set(name, this.#count(name) + 1)
    return counted
  }

  leave(counted: readonly string[]): void {
    this.#size--
    for (const name of counted) {
      const count = this.#count(name) - 1
      if (count > 0) this.#counts.set(name, count)
      else this.#counts.delete(name)
    }
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0
  }
}
