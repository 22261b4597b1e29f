import { hkdfSync, randomBytes } from 'node:crypto'

/** Key material of `node:tls` for session tickets. */
const KEY_BYTES = 48
const SECRET_BYTES = 32
/**
 * Who learns the key of a ticket can read what was sent under it with TLS 1.2, so it is replaced; sessions from before
 * begin anew. Tickets live for five minutes, so hardly any do.
 */
const LIFE_MS = 24 * 3_600_000

/** What processes need to share the keys of session tickets. */
export interface TicketSecret {
  /** Days since 1970 (UTC). */
  readonly day: number
  /** Base64. */
  readonly secret: string
}

/**
 * The keys of session tickets, of which each day has its own. The secret of a day follows from the one of the day before
 * and not the other way round: processes that started with the same one have the same keys for ever, and none can go back.
 */
export class TicketKeys {
  #day: number
  #secret: Buffer

  /** @param shared Of another process; without it the keys are nobody else's */
  constructor(shared?: TicketSecret, nowMs: number = Date.now()) {
    this.#day = shared?.day ?? dayOf(nowMs)
    this.#secret = shared === undefined ? randomBytes(SECRET_BYTES) : Buffer.from(shared.secret, 'base64')
  }

  /** The keys of now. */
  current(nowMs: number = Date.now()): Buffer {
    this.#advance(nowMs)
    return derive(this.#secret, 'keys', KEY_BYTES)
  }

  /** What another process has to be told to have the same keys. */
  share(nowMs: number = Date.now()): TicketSecret {
    this.#advance(nowMs)
    return { day: this.#day, secret: this.#secret.toString('base64') }
  }

  /** Time until the keys change. */
  static remainingMs(nowMs: number = Date.now()): number {
    return LIFE_MS - (nowMs % LIFE_MS)
  }

  #advance(nowMs: number): void {
    for (const day = dayOf(nowMs); this.#day < day; this.#day++) {
      this.#secret = derive(this.#secret, 'next', SECRET_BYTES)
    }
  }
}

function dayOf(ms: number): number {
  return Math.floor(ms / LIFE_MS)
}

function derive(secret: Buffer, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `fw session tickets: ${purpose}`, bytes))
}
