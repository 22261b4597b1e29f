/** First opcode of the control frames. */
const CONTROL = 0x8
/** Opcode of a Close frame. */
const CLOSE = 0x8
const MASK_BYTES = 4

/**
 * Finds the boundaries of the frames in a client's byte stream. Reads only their heads, and leaves validation to the receiver.
 *
 * @see RFC 6455 §5.2
 */
export class FrameScanner {
  /** Whether the last frame is complete, so that the next byte begins another one. */
  isBetweenFrames = true
  /** Opcode of the current frame, or of the last one. */
  opcode = 0
  #isFinal = false
  #isInMessage = false
  /** Bytes of the head that have been read: 0, 1, or 2 while an extended length follows. */
  #step = 0
  #lengthBytes = 0
  #length = 0
  #isMasked = false
  /** Bytes of the mask and the payload that have not been passed; -1 before the end of the head. */
  #left = -1

  /** Whether the current frame is a control frame. */
  get isControl(): boolean {
    return this.opcode >= CONTROL
  }

  /** Whether the last frame is a complete Close frame. */
  get isClosed(): boolean {
    return this.isBetweenFrames && this.opcode === CLOSE
  }

  /** Whether the last frame completed a message. */
  get isMessageEnd(): boolean {
    return this.isBetweenFrames && this.#isFinal && !this.isControl
  }

  /** Whether the next data frame must continue a message. */
  get isInMessage(): boolean {
    return this.#isInMessage
  }

  /**
   * Passes the bytes of one frame.
   *
   * @param onFrame Called when the head of the frame is complete
   * @returns The index after the frame, or the length of `bytes` if the frame continues
   */
  pass(bytes: Uint8Array, from: number, onFrame: (isControl: boolean) => void): number {
    let at = from
    while (this.#left === -1 && at < bytes.length) {
      this.#readHead(bytes[at++] ?? 0)
      if (this.#left !== -1) onFrame(this.isControl)
    }
    if (this.#left === -1) return at
    const taken = Math.min(this.#left, bytes.length - at)
    this.#left -= taken
    if (this.#left === 0) {
      this.#left = -1
      this.#step = 0
      this.isBetweenFrames = true
      if (!this.isControl) this.#isInMessage = !this.#isFinal
    }
    return at + taken
  }

  #readHead(byte: number): void {
    if (this.#step === 0) {
      this.isBetweenFrames = false
      this.#isFinal = byte >= 0x80
      this.opcode = byte & 0x0f
      this.#step = 1
    } else if (this.#step === 1) {
      this.#isMasked = byte >= 0x80
      const length = byte & 0x7f
      this.#length = length < 126 ? length : 0
      this.#lengthBytes = length < 126 ? 0 : length === 126 ? 2 : 8
      this.#step = 2
    } else {
      this.#length = this.#length * 256 + byte
      this.#lengthBytes--
    }
    if (this.#step === 2 && this.#lengthBytes === 0) this.#left = this.#length + (this.#isMasked ? MASK_BYTES : 0)
  }
}
