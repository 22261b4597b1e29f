import { takeFrames, type Frame } from '../../test/http2/frames.ts'

/** What a client sends before its frames (RFC 9113 §3.4). */
export const PREFACE_BYTES = 24

/** Puts frames together from slices. */
export class FrameStream {
  #rest: Buffer = Buffer.alloc(0)

  /** Bytes of a frame that is not complete. */
  get restBytes(): number {
    return this.#rest.length
  }

  take(slice: Buffer): Frame[] {
    const { frames, rest } = takeFrames(Buffer.concat([this.#rest, slice]))
    this.#rest = rest
    return frames
  }
}
