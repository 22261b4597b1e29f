import type { BodyEncoder } from '@fw/types'

/** Limits the memory of the encoders that are open at the same time. A slow client keeps its encoder open. */
export class StreamLimit {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The memory of the open encoders, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Reports whether another encoder can be opened. */
  fits(bytes: number): boolean {
    return this.#bytes + bytes <= this.#maxBytes
  }

  /** Counts an encoder until it ends or is canceled. @param bytes Its memory */
  count(encoder: BodyEncoder, bytes: number): BodyEncoder {
    let isOpen = true
    const release = (): void => {
      if (isOpen) this.#bytes -= bytes
      isOpen = false
    }
    this.#bytes += bytes
    return {
      write: (chunk, push) => encoder.write(chunk, push),
      flush: (push) => encoder.flush(push),
      end: async (push) => {
        await encoder.end(push)
        release()
      },
      cancel: () => {
        release()
        encoder.cancel()
      },
    }
  }
}
