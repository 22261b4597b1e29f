import { beginRequest } from '../exchange/begin-request.ts'
import type { BaseExchange } from '../exchange/base-exchange.ts'
import type { EngineHost } from '../engine-host.ts'
import type { BufferAccount } from './buffer-account.ts'

/**
 * Begins the requests of a connection with several streams, or has them wait while too much is held for the connection.
 *
 * Waiting costs a client nothing but time. A refusal (REFUSED_STREAM) would have it send the same again at once, and some
 * clients show it to their users. The number of streams bounds how many wait.
 */
// docs/decisions/0105
export class RequestGate {
  readonly #host: EngineHost
  /** Requests that wait, with the bytes of their heads. */
  #waiting: { readonly exchange: BaseExchange; readonly bytes: number }[] = []

  constructor(host: EngineHost) {
    this.#host = host
  }

  /** @param account Of the connection, if it has one */
  begin(exchange: BaseExchange, account: BufferAccount | undefined): void {
    if (account === undefined || (this.#waiting.length === 0 && !account.mustWait)) {
      beginRequest(this.#host, exchange, false)
      return
    }
    const bytes = headBytes(exchange)
    this.#waiting.push({ exchange, bytes })
    account.addWaiting(bytes)
    account.awaitRoom()
  }

  /** Begins requests that wait, in the order in which they came, until too much is held again. */
  onRoom(account: BufferAccount): void {
    while (!account.mustWait) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      account.addWaiting(-next.bytes)
      if (!next.exchange.isClosed) beginRequest(this.#host, next.exchange, false)
    }
    if (this.#waiting.length > 0) account.awaitRoom()
  }

  /** The connection is closed. */
  clear(): void {
    this.#waiting = []
  }
}

function headBytes({ target, authority, headers }: BaseExchange): number {
  let bytes = target.length + authority.length
  for (const [name, value] of headers) bytes += name.length + value.length
  return bytes
}
