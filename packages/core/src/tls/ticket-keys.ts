import { hkdfSync, randomBytes } from 'node:crypto'

/** Size of the session-ticket keys in `node:tls`, in bytes. */
const KEY_BYTES = 48
const SECRET_BYTES = 32
/**
 * Lifetime of a key, in milliseconds. A stolen key decrypts the TLS 1.2 traffic of its sessions, so it is replaced
 * daily. Older sessions then need a full handshake. Tickets are valid for five minutes, so this is rare.
 */
const LIFE_MS = 24 * 3_600_000

/** Secret that processes exchange to use the same session-ticket keys. */
export interface TicketSecret {
  /** Days since 1970 (UTC). */
  readonly day: number
  /** Secret for that day, in Base64. */
  readonly secret: string
}

/**
 * Derives session-ticket keys, which change each day. Each day's secret is derived from the previous day's, so
 * processes that start with the same secret always have equal keys. No process can recover older keys.
 */
export class TicketKeys {
  #day: number
  #secret: Buffer

  /** @param shared Secret from another process. Default: a random secret */
  constructor(shared?: TicketSecret, nowMs: number = Date.now()) {
    this.#day = shared?.day ?? dayOf(nowMs)
    this.#secret = shared === undefined ? randomBytes(SECRET_BYTES) : Buffer.from(shared.secret, 'base64')
  }

  /** Returns the current keys. */
  current(nowMs: number = Date.now()): Buffer {
    this.#advance(nowMs)
    return derive(this.#secret, 'keys', KEY_BYTES)
  }

  /** Returns the secret with which another process derives the same keys. */
  share(nowMs: number = Date.now()): TicketSecret {
    this.#advance(nowMs)
    return { day: this.#day, secret: this.#secret.toString('base64') }
  }

  /** Returns the milliseconds until the keys change. */
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
