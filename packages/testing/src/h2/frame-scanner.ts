/** Header of an HTTP/2 frame (RFC 9113 §4.1). */
export interface FrameHead {
  readonly lengthBytes: number
  readonly type: number
  readonly flags: number
  readonly streamId: number
}

const HEAD_BYTES = 9
const DATA = 0
const HEADERS = 1
const END_STREAM = 1

/** Finds the frame headers in a byte stream. Frames can start and end anywhere within a slice. */
export class FrameScanner {
  readonly #onFrame: (frame: FrameHead) => void
  readonly #head = Buffer.alloc(HEAD_BYTES)
  #headBytes = 0
  #payloadBytes = 0

  /** @param onFrame Called after the last byte of a frame header, before the payload */
  constructor(onFrame: (frame: FrameHead) => void) {
    this.#onFrame = onFrame
  }

  scan(slice: Uint8Array): void {
    for (let at = 0; at < slice.length;) {
      if (this.#payloadBytes > 0) {
        const skipped = Math.min(this.#payloadBytes, slice.length - at)
        this.#payloadBytes -= skipped
        at += skipped
        continue
      }
      this.#head[this.#headBytes++] = slice[at++] ?? 0
      if (this.#headBytes === HEAD_BYTES) this.#readHead()
    }
  }

  #readHead(): void {
    const lengthBytes = this.#head.readUIntBE(0, 3)
    this.#headBytes = 0
    this.#payloadBytes = lengthBytes
    // The first bit is reserved.
    const streamId = this.#head.readUInt32BE(5) & 0x7fff_ffff
    this.#onFrame({ lengthBytes, type: this.#head[3] ?? 0, flags: this.#head[4] ?? 0, streamId })
  }
}

/** Reports whether the frame has END_STREAM. */
export function endsStream({ type, flags }: FrameHead): boolean {
  return (type === DATA || type === HEADERS) && (flags & END_STREAM) !== 0
}
