import { takeFrames, type Frame } from '../../test/http2/frames.ts'

/** Client connection preface (RFC 9113 §3.4). */
export const PREFACE_BYTES = 24

/** Joins slices into frames. */
export class FrameStream {
  #rest: Buffer = Buffer.alloc(0)

  /** Bytes of an incomplete frame. */
  get restBytes(): number {
    return this.#rest.length
  }

  take(slice: Buffer): Frame[] {
    const { frames, rest } = takeFrames(Buffer.concat([this.#rest, slice]))
    this.#rest = rest
    return frames
  }
}
