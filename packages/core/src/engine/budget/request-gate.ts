import { beginRequest } from '../exchange/begin-request.ts'
import type { BaseExchange } from '../exchange/base-exchange.ts'
import type { EngineHost } from '../engine-host.ts'
import type { BufferAccount, BufferHolder } from './buffer-account.ts'
import { bufferLedger } from './buffer-ledger.ts'

/** Number of handlers that can run concurrently on a connection before its client has received a response. */
const FIRST_HANDLERS = 1
/** Milliseconds after which one more handler starts even if no running handler has responded, as with long polling. */
const PACE_MS = 250

/** The connection that a gate controls. */
export interface GateOwner extends BufferHolder {
  readonly host: EngineHost
  /** Account of the bytes buffered for the connection; created on first access. */
  readonly account: BufferAccount
  /** The account; `undefined` before the first access to `account`. */
  readonly knownAccount: BufferAccount | undefined
}

interface WaitingRequest {
  readonly exchange: BaseExchange
  /** Size of the request's head, in bytes. */
  readonly bytes: number
  /** Whether the account counts the head until the exchange ends. */
  readonly isCounted: boolean
}

/**
 * Starts the requests of a multiplexed connection, or queues them while the connection holds too many bytes.
 *
 * Handlers that run at the same time can each return a large body later, which costs CPU time even if the body becomes
 * a 503. A connection therefore starts with few handlers if the process has recently reached a limit. Each response
 * that the client receives allows one more handler.
 *
 * Queuing only delays a request. After a refusal (REFUSED_STREAM), clients retry immediately, and some report an error
 * to the user. The stream limit bounds the queue.
 */
// docs/decisions/0105
export class RequestGate {
  readonly #owner: GateOwner
  #waiting: WaitingRequest[] = []
  /** Requests that started while the number of handlers was limited, and whose response the client has not received. */
  #running: BaseExchange[] = []
  #maxRunning = FIRST_HANDLERS
  /** Whether one handler can start even though `#maxRunning` others are running. */
  #isPaced = false
  #timer: NodeJS.Timeout | undefined = undefined
  #isNotified = false

  constructor(owner: GateOwner) {
    this.#owner = owner
  }

  /** Starts a request, or queues it. @param countedBytes Bytes of the request head that the account already counts */
  begin(exchange: BaseExchange, countedBytes: number): void {
    if (this.#waiting.length === 0 && this.#mayBegin(exchange)) {
      beginRequest(this.#owner.host, exchange, false)
      return
    }
    const { account } = this.#owner
    const isCounted = countedBytes > 0
    const bytes = isCounted ? countedBytes : headBytes(exchange)
    this.#waiting.push({ exchange, bytes, isCounted })
    account.addWaiting(bytes, isCounted)
    this.#await(account)
  }

  /** Starts queued requests in order, until the next one has to wait. */
  onRoom(): void {
    const { account } = this.#owner
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { exchange, bytes, isCounted } = next
      if (!exchange.isClosed && !this.#mayBegin(exchange)) {
        this.#await(account)
        return
      }
      this.#waiting.shift()
      account.addWaiting(-bytes, isCounted)
      if (!exchange.isClosed) beginRequest(this.#owner.host, exchange, false)
    }
  }

  /** Allows one more concurrent handler, because the client has received a response. */
  onServed(): void {
    this.#maxRunning++
    if (this.#waiting.length === 0 || this.#isNotified) return
    this.#isNotified = true
    // Never start a handler inside another one.
    setImmediate(this.#notify)
  }

  /** Drops the queued requests, because the connection is closed. */
  clear(): void {
    this.#waiting = []
    this.#running = []
    clearTimeout(this.#timer)
  }

  #mayBegin(exchange: BaseExchange): boolean {
    if (this.#owner.knownAccount?.mustWait === true) return false
    if (!bufferLedger.isCautious) return true
    this.#running = this.#running.filter(isRunning)
    if (this.#running.length >= this.#maxRunning && !this.#isPaced) return false
    this.#isPaced = false
    this.#running.push(exchange)
    return true
  }

  #await(account: BufferAccount): void {
    if (account.mustWait) account.awaitRoom()
    else if (this.#timer === undefined) {
      this.#timer = setTimeout(this.#pace, PACE_MS)
      this.#timer.unref()
    }
  }

  readonly #pace = (): void => {
    this.#timer = undefined
    this.#isPaced = true
    this.#owner.onBufferRoom()
    this.#isPaced = false
  }

  readonly #notify = (): void => {
    this.#isNotified = false
    if (this.#waiting.length > 0) this.#owner.onBufferRoom()
  }
}

/** Reports whether a handler can still return its whole body, or has returned one that is waiting for the client. */
function isRunning({ isClosed, isComplete, isTunnel, bodyBytes }: BaseExchange): boolean {
  return !isClosed && !isTunnel && (isComplete || bodyBytes === 0)
}

/** Returns the bytes of a request head. */
export function headBytes({ target, authority, headers }: BaseExchange): number {
  let bytes = target.length + authority.length
  for (const [name, value] of headers) bytes += name.length + value.length
  return bytes
}
