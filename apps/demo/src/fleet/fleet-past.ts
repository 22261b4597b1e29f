import { FLEET_HISTORY, PROCESS_STATES, type FleetHistory, type FleetMessage } from '../live/messages.ts'

/** Stores the fleet's last messages for new visitors, in about 12 bytes each. */
export class FleetPast {
  readonly #entries: (readonly [rate: number, states: string])[] = []

  /** The kept messages, the newest last. */
  get entries(): FleetHistory {
    return this.#entries
  }

  /** Stores a message, and discards the oldest ones beyond `FLEET_HISTORY`. */
  add({ rate, processes }: FleetMessage): void {
    this.#entries.push([rate, processes.map(({ state }) => PROCESS_STATES.indexOf(state)).join('')])
    if (this.#entries.length > FLEET_HISTORY) this.#entries.shift()
  }
}
