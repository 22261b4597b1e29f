import type { Writable } from 'node:stream'

/**
 * Octets given to a stream at once. What a stream holds for a client that does not read is memory, and only when a
 * slice has been taken can a slow client be told from a dead one.
 */
const SLICE_BYTES = 64 * 1024

/** Writes octets of any number to a stream in slices, each when the one before was taken. Nothing is copied. */
export class SlicedWriter {
  readonly #target: Writable
  /** What waits; most streams never make anything wait. */
  #queue: Uint8Array[] | undefined = undefined
  #queuedBytes = 0

  constructor(target: Writable) {
    this.#target = target
  }

  /** Octets that the stream has not passed on. */
  get bufferedBytes(): number {
    return this.#target.writableLength + this.#queuedBytes
  }

  /** Whether the stream wants a pause. */
  get isBlocked(): boolean {
    return this.#queuedBytes > 0 || this.#target.writableNeedDrain
  }

  /** @returns Whether the stream wants no pause */
  write(bytes: Uint8Array): boolean {
    if (bytes.byteLength <= SLICE_BYTES && !this.isBlocked) {
      // A stream that was destroyed takes nothing and wants no pause either.
      return this.#target.write(bytes) || !this.isBlocked
    }
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES)
      if (this.isBlocked) {
        ;(this.#queue ??= []).push(slice)
        this.#queuedBytes += slice.byteLength
      } else this.#target.write(slice)
    }
    return !this.isBlocked
  }

  /** Writes text, one octet a character. */
  writeLatin1(text: string): void {
    if (this.#queuedBytes > 0) this.write(Buffer.from(text, 'latin1'))
    else this.#target.write(text, 'latin1')
  }

  /** To be called on `drain`: passes on what waits. */
  pump(): void {
    while (!this.#target.writableNeedDrain) {
      const slice = this.#queue?.shift()
      if (slice === undefined) return
      this.#queuedBytes -= slice.byteLength
      this.#target.write(slice)
    }
  }

  /** Throws away what waits. */
  clear(): void {
    this.#queue = undefined
    this.#queuedBytes = 0
  }
}
