import quiche from '@matrixai/quic/native/quiche.js'
import type { Shutdown } from '@matrixai/quic/native/types.js'
import { IncompleteResponse } from '../response-error.ts'

type QuicheConnection = ReturnType<typeof quiche.Connection.connect>

/** Connection of a `RawStream`. */
export interface StreamConnection {
  readonly isOver: boolean
  touch(): void
}

/** QUIC stream on a test connection. Independent of HTTP/3. */
export class RawStream {
  readonly id: number
  /** Resolves with the error code in RESET_STREAM when the test reads the stream. */
  readonly resetCode: Promise<number>
  /** Resolves with the error code in STOP_SENDING. */
  readonly stopCode: Promise<number>
  readonly #quiche: QuicheConnection
  readonly #connection: StreamConnection
  readonly #reset = Promise.withResolvers<number>()
  readonly #stop = Promise.withResolvers<number>()
  readonly #buffer = Buffer.alloc(16 * 1024)
  #changed = Promise.withResolvers<void>()
  #isStopped = false
  /** Whether the sending side is closed, because the server has acknowledged all bytes or the test has reset the stream. */
  #isGone = false
  #isReadOver = false
  #isEnded = false

  constructor(id: number, connection: QuicheConnection, owner: StreamConnection) {
    this.id = id
    this.#quiche = connection
    this.#connection = owner
    this.resetCode = this.#reset.promise
    this.stopCode = this.#stop.promise
  }

  /** Reports whether both directions are closed. */
  get isOver(): boolean {
    return this.#isReadOver && (this.#isGone || this.#isStopped)
  }

  /** Reports whether the server has ended its side with FIN. */
  get hasEnded(): boolean {
    return this.#isEnded
  }

  /** Sends bytes. Resolves when quiche has accepted them, or when the server stops or closes the stream. */
  async send(bytes: Uint8Array | string, options: { end?: boolean } = {}): Promise<void> {
    let rest = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes
    const isEnd = options.end ?? false
    for (;;) {
      if (this.#isStopped || this.#isGone || this.#connection.isOver) return
      let taken: number | null
      try {
        taken = this.#quiche.streamSend(this.id, rest, isEnd)
      } catch (error) {
        this.#onStopped(error)
        return
      }
      const isDone = taken === rest.byteLength
      rest = rest.subarray(taken ?? 0)
      this.#connection.touch()
      if (isDone) return
      await this.#changed.promise
    }
  }

  /**
   * Returns the next slice, or `undefined` at the end. Only this call consumes the flow-control window.
   *
   * @throws {IncompleteResponse} if the server resets the stream or the connection ends
   */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#isReadOver) return undefined
      let read: [number, boolean] | null
      try {
        read = this.#connection.isOver ? null : this.#quiche.streamRecv(this.id, this.#buffer)
      } catch (error) {
        read = null
        this.#onReadFailed(error)
      }
      if (read !== null) {
        const slice = Buffer.from(this.#buffer.subarray(0, read[0]))
        if (read[1]) {
          this.#isReadOver = true
          this.#isEnded = true
        }
        this.#connection.touch()
        if (slice.length > 0) return slice
        continue
      }
      if (this.#connection.isOver) throw new IncompleteResponse('The connection ended')
      await this.#changed.promise
    }
  }

  /** Reads to the end of the stream. @throws {IncompleteResponse} like `read` */
  async readAll(): Promise<Buffer> {
    const slices: Uint8Array[] = []
    for (let slice; (slice = await this.read()) !== undefined;) slices.push(slice)
    return Buffer.concat(slices)
  }

  /** Sends RESET_STREAM, which aborts the sending side. */
  reset(code: number): void {
    this.#isGone = true
    this.#shutdown(quiche.Shutdown.Write, code)
    this.#wake()
  }

  /** Sends STOP_SENDING, which asks the server to stop sending. */
  stop(code: number): void {
    this.#isReadOver = true
    this.#shutdown(quiche.Shutdown.Read, code)
    this.#wake()
  }

  /** Detects STOP_SENDING and wakes pending reads and writes. Must be called when the connection receives packets. */
  onChange(): void {
    if (!this.#isStopped && !this.#isGone) {
      try {
        this.#quiche.streamCapacity(this.id)
      } catch (error) {
        this.#onStopped(error)
      }
    }
    this.#wake()
  }

  onConnectionOver(): void {
    this.#wake()
  }

  #wake(): void {
    const changed = this.#changed
    this.#changed = Promise.withResolvers()
    changed.resolve()
  }

  #shutdown(direction: Shutdown, code: number): void {
    if (this.#connection.isOver) return
    this.#quiche.streamShutdown(this.id, direction, code)
    this.#connection.touch()
  }

  #onStopped(error: unknown): void {
    const code = codeOf('StreamStopped', error)
    if (code === undefined) {
      this.#isGone = true
      return
    }
    this.#isStopped = true
    this.#stop.resolve(code)
  }

  #onReadFailed(error: unknown): void {
    const code = codeOf('StreamReset', error)
    if (code === undefined) throw error
    this.#isReadOver = true
    this.#reset.resolve(code)
    throw new IncompleteResponse(`The stream was reset (code 0x${code.toString(16)})`)
  }
}

/** Returns the code of a quiche error from its message: `StreamReset(268)`. */
function codeOf(name: string, error: unknown): number | undefined {
  const match = error instanceof Error ? /^(\w+)\((\d+)\)/.exec(error.message) : null
  return match?.[1] === name ? Number(match[2]) : undefined
}
