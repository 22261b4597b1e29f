import type { Socket } from 'node:net'

/** What the handle of a socket counts. Not documented: of `node:net` only the time limit of sockets makes use of it. */
interface Counters {
  /** Octets given to the operating system, or waiting for it. */
  readonly bytesWritten: number
  /** Octets of these that wait. */
  readonly writeQueueSize: number
}

/**
 * Samples of what the socket below an HTTP/2 session takes. `node:http2` writes to the handle of the socket, one write at
 * a time with all that the streams may send, and the events of the socket tell nothing of it.
 */
export class SocketProgress {
  /** New writes that were seen by samples. */
  writes = 0
  /** Whether octets waited for the socket at the last sample. */
  isBusy = false
  readonly #counters: Counters | undefined
  #written = 0
  #taken = 0
  #progressMs = performance.now()

  constructor(socket: Socket) {
    this.#counters = countersOf(socket)
  }

  sample(nowMs: number): void {
    if (this.#counters === undefined) return
    const { bytesWritten, writeQueueSize } = this.#counters
    const taken = bytesWritten - writeQueueSize
    this.isBusy = writeQueueSize > 0
    if (!this.isBusy || taken !== this.#taken) this.#progressMs = nowMs
    if (bytesWritten !== this.#written) this.writes++
    this.#written = bytesWritten
    this.#taken = taken
  }

  /** How long the samples have seen octets wait and none go. */
  stalledMs(nowMs: number): number {
    return nowMs - this.#progressMs
  }
}

/** Those of the connection itself: TLS hands everything on at once. */
function countersOf(socket: Socket): Counters | undefined {
  const handle: unknown = Reflect.get(socket, '_handle')
  if (!isObject(handle)) return undefined
  const below: unknown = Reflect.get(handle, '_parent')
  return [below, handle].find(hasCounters)
}

function hasCounters(handle: unknown): handle is Counters {
  return (
    isObject(handle) &&
    typeof Reflect.get(handle, 'bytesWritten') === 'number' &&
    typeof Reflect.get(handle, 'writeQueueSize') === 'number'
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
