import type { BodyEncoder, FieldList, ResponseBody } from '@fw/types'

/** Number of bytes waiting for the encoder at which `write` signals the caller to pause. */
const MAX_WAITING_BYTES = 64 * 1024

/**
 * Passes all written bytes through an encoder to the target body. Calls the encoder one step at a time, so later
 * writes wait for a step that returns a promise.
 */
export class EncodedBody implements ResponseBody {
  readonly #target: ResponseBody
  readonly #encoder: BodyEncoder
  readonly #flushEach: boolean
  readonly #onError: (error: unknown) => void
  readonly #push: (bytes: Uint8Array) => void
  #isEnded = false
  /** Whether the encoder has ended or was canceled. If so, it is not called again. */
  #isReleased = false
  #hasRoom = true
  #waitingBytes = 0
  /** The last step in the queue; `undefined` while no step is in progress. */
  #running: Promise<void> | undefined = undefined
  #idle: PromiseWithResolvers<void> | undefined = undefined

  /** @param onError Receives an error from the encoder. The response is then aborted */
  constructor(target: ResponseBody, encoder: BodyEncoder, flushEach: boolean, onError: (error: unknown) => void) {
    this.#target = target
    this.#encoder = encoder
    this.#flushEach = flushEach
    this.#onError = onError
    this.#push = (bytes) => {
      if (!target.write(bytes)) this.#hasRoom = false
    }
  }

  get isOpen(): boolean {
    return !this.#isEnded && this.#target.isOpen
  }

  get bodyBytes(): number {
    return this.#target.bodyBytes
  }

  /**
   * The buffered bytes, including those that the encoder is still reading, because their buffer must not be reused
   * yet.
   */
  get bufferedBytes(): number {
    return this.#waitingBytes + this.#target.bufferedBytes
  }

  write(chunk: Uint8Array): boolean {
    if (!this.isOpen || chunk.byteLength === 0) return true
    this.#hasRoom = true
    this.#step(chunk.byteLength, () => this.#encode(chunk))
    return this.#hasRoom && this.#waitingBytes < MAX_WAITING_BYTES
  }

  async drained(): Promise<void> {
    if (this.#running !== undefined) await (this.#idle ??= Promise.withResolvers()).promise
    await this.#target.drained()
  }

  end(trailers?: FieldList): void {
    if (!this.isOpen) return
    this.#isEnded = true
    this.#step(0, () => {
      const ending = this.#encoder.end(this.#push)
      return ending === undefined ? this.#complete(trailers) : ending.then(() => this.#complete(trailers))
    })
  }

  abort(error?: Error): void {
    this.cancel()
    this.#target.abort(error)
  }

  /** Releases this encoder, and those that follow it, unless the body is complete. */
  cancel(): void {
    if (this.#target instanceof EncodedBody) this.#target.cancel()
    if (this.#isReleased) return
    this.#isEnded = true
    this.#isReleased = true
    this.#waitingBytes = 0
    // The step in progress might never end.
    this.#becomeIdle()
    try {
      this.#encoder.cancel()
    } catch (error) {
      this.#onError(error)
    }
  }

  #complete(trailers: FieldList | undefined): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#target.end(trailers)
  }

  #encode(chunk: Uint8Array): void | Promise<void> {
    const writing = this.#encoder.write(chunk, this.#push)
    if (!this.#flushEach) return writing
    if (writing === undefined) return this.#encoder.flush(this.#push)
    return writing.then(() => (this.#isReleased ? undefined : this.#encoder.flush(this.#push)))
  }

  /** Runs a step now, or after the one in progress. @param bytes Bytes that the step reads */
  #step(bytes: number, run: () => void | Promise<void>): void {
    let step: Promise<void>
    if (this.#running === undefined) {
      try {
        const running = run()
        if (running === undefined) return
        step = running
      } catch (error) {
        this.#fail(error)
        return
      }
    } else step = this.#running.then(() => (this.#isReleased ? undefined : run()))
    this.#waitingBytes += bytes
    const last: Promise<void> = step.then(
      () => this.#onStep(bytes, last),
      (error: unknown) => this.#fail(error),
    )
    this.#running = last
  }

  #onStep(bytes: number, step: Promise<void>): void {
    if (this.#isReleased) return this.#becomeIdle()
    this.#waitingBytes -= bytes
    if (this.#running === step) this.#becomeIdle()
  }

  #becomeIdle(): void {
    this.#running = undefined
    this.#idle?.resolve()
    this.#idle = undefined
  }

  #fail(error: unknown): void {
    if (this.#isReleased) return
    this.#onError(error)
    this.abort(error instanceof Error ? error : undefined)
  }
}
