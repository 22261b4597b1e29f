import { beginRequest } from '../exchange/begin-request.ts'
import type { BaseExchange } from '../exchange/base-exchange.ts'
import type { EngineHost } from '../engine-host.ts'
import type { BufferAccount } from './buffer-account.ts'

/**
 * Starts the requests of a multiplexed connection, or queues them while the connection holds too many bytes.
 *
 * A queued request only takes longer. After a refusal (REFUSED_STREAM), clients repeat the request immediately, and
 * some report an error to the user. The stream limit bounds the queue.
 */
// docs/decisions/0105
export class RequestGate {
  readonly #host: EngineHost
  /** Queued requests and the bytes of their heads. */
  #waiting: { readonly exchange: BaseExchange; readonly bytes: number }[] = []

  constructor(host: EngineHost) {
    this.#host = host
  }

  /** Starts a request, or queues it. @param account Account of the connection, if it has one */
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

  /** Starts queued requests in order, until the connection holds too many bytes again. */
  onRoom(account: BufferAccount): void {
    while (!account.mustWait) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      account.addWaiting(-next.bytes)
      if (!next.exchange.isClosed) beginRequest(this.#host, next.exchange, false)
    }
    if (this.#waiting.length > 0) account.awaitRoom()
  }

  /** Drops the queued requests: the connection is closed. */
  clear(): void {
    this.#waiting = []
  }
}

function headBytes({ target, authority, headers }: BaseExchange): number {
  let bytes = target.length + authority.length
  for (const [name, value] of headers) bytes += name.length + value.length
  return bytes
}
