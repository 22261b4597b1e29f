/** Magic number of a frame, and the upper 28 bits of that of a skippable frame (RFC 8878 §3.1.1, §3.1.2). */
const MAGIC = 0xfd2fb528
const SKIPPABLE_MAGIC = 0x184d2a5
/** Block type of one repeated byte (RFC 8878 §3.1.1.2). */
const RLE = 1

/**
 * Finds the ends and the content sizes of the frames in a zstd body from their headers. Node.js accepts a body that ends within
 * the magic number of a frame which follows another. If a body arrives in pieces, it also accepts a frame with a wrong content
 * size. Does not check anything else, because the decoder does.
 */
export class ZstdFrames {
  #field: number[] = []
  #fieldBytes = 4
  #read: (field: readonly number[]) => void = (field) => this.#readMagic(field)
  /** Number of bytes up to the next field. */
  #skippedBytes = 0
  #isBetween = true
  #checksumBytes = 0
  /** Sum of the content sizes; `NaN` if a frame has none. */
  #contentBytes = 0

  /** Whether the last frame is complete. */
  get isComplete(): boolean {
    return this.#isBetween && this.#skippedBytes === 0 && this.#field.length === 0
  }

  /** Reports whether the frames can decode to this number of bytes (RFC 8878 §3.1.1.1.4). */
  allows(decodedBytes: number): boolean {
    return Number.isNaN(this.#contentBytes) || this.#contentBytes === decodedBytes
  }

  /** Adds the next bytes of the body. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const skipped = Math.min(this.#skippedBytes, chunk.length - at)
      this.#skippedBytes -= skipped
      at += skipped
      const byte = chunk[at++]
      if (byte === undefined) return
      this.#field.push(byte)
      if (this.#field.length < this.#fieldBytes) continue
      const field = this.#field
      this.#field = []
      this.#read(field)
    }
  }

  #readMagic(field: readonly number[]): void {
    const magic = unsigned(field)
    this.#isBetween = false
    if (magic >>> 4 === SKIPPABLE_MAGIC) this.#expect(4, (size) => this.#endFrame(unsigned(size)))
    else if (magic === MAGIC) this.#expect(1, ([descriptor = 0]) => this.#readDescriptor(descriptor))
    // The decoder rejects any other frame.
    else this.#skippedBytes = Infinity
  }

  /** Reads the first byte of a frame header (RFC 8878 §3.1.1.1.1). */
  #readDescriptor(descriptor: number): void {
    const isSingle = (descriptor & 0x20) !== 0
    const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0
    const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0
    this.#checksumBytes = (descriptor & 4) === 0 ? 0 : 4
    this.#skippedBytes = (isSingle ? 0 : 1) + dictionaryBytes
    if (sizeBytes > 0) {
      this.#expect(sizeBytes, (size) => this.#readContentSize(unsigned(size) + (sizeBytes === 2 ? 256 : 0)))
    } else this.#readContentSize(Number.NaN)
  }

  #readContentSize(bytes: number): void {
    this.#contentBytes += bytes
    this.#expect(3, (block) => this.#readBlock(unsigned(block)))
  }

  #readBlock(header: number): void {
    const bytes = ((header >>> 1) & 3) === RLE ? 1 : header >>> 3
    if ((header & 1) === 1) this.#endFrame(bytes + this.#checksumBytes)
    else this.#skippedBytes = bytes
  }

  #endFrame(remainingBytes: number): void {
    this.#skippedBytes = remainingBytes
    this.#isBetween = true
    this.#expect(4, (field) => this.#readMagic(field))
  }

  #expect(bytes: number, read: (field: readonly number[]) => void): void {
    this.#fieldBytes = bytes
    this.#read = read
  }
}

/** Returns the value of little-endian bytes. */
function unsigned(bytes: readonly number[]): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0)
}
