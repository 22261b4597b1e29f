import type { PushBytes } from '@fw/types'

/** Receives what middleware writes, instead of the client, while the response of an fw handler passes through it. */
export interface Sink {
  /** Whether `end` was called. */
  readonly isEnded: boolean
  /** Receives a piece of the body. */
  write(chunk: string | Uint8Array): void
  /** Ends the body. */
  end(): void
}

/** Collects a body. */
export class WholeSink implements Sink {
  isEnded = false
  readonly #chunks: (string | Uint8Array)[] = []
  #ending: PromiseWithResolvers<Uint8Array> | undefined = undefined

  /** The only chunk, as it was written; `undefined` if there are several or none. */
  get only(): string | Uint8Array | undefined {
    return this.#chunks.length === 1 ? this.#chunks[0] : undefined
  }

  /** The bytes written so far. */
  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)))
  }

  /** Resolves with all bytes when the body ends. */
  get whole(): Promise<Uint8Array> {
    if (this.isEnded) return Promise.resolve(this.bytes)
    return (this.#ending ??= Promise.withResolvers()).promise
  }

  write(chunk: string | Uint8Array): void {
    if (!this.isEnded) this.#chunks.push(chunk)
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#ending?.resolve(this.bytes)
  }
}

/** Passes the pieces of a body on. */
export class PushSink implements Sink {
  isEnded = false
  push: PushBytes | undefined = undefined
  #ending: PromiseWithResolvers<void> | undefined = undefined

  /** Resolves when the body ends. */
  get ended(): Promise<void> {
    return (this.#ending ??= Promise.withResolvers()).promise
  }

  write(chunk: string | Uint8Array): void {
    if (!this.isEnded) this.push?.(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }

  end(): void {
    if (this.isEnded) return
    this.isEnded = true
    this.#ending?.resolve()
  }
}
