import { decodeFields, H3Frame, readVarint, type RawStream } from '@fw/testing/h3'

/** Reads the frames of a request stream until it ends or the server resets it. */
export class ReceivedFrames {
  readonly frames: { readonly type: number; readonly payload: Buffer }[] = []
  /** How the server ended the stream. */
  ended: 'end' | 'reset' | undefined = undefined
  #slices: Uint8Array[] = []
  #bytes = 0
  /** Bytes after which the next frame is complete. */
  #neededBytes = 2

  constructor(stream: RawStream) {
    this.#read(stream).then(
      () => (this.ended = 'end'),
      () => (this.ended = 'reset'),
    )
  }

  /** Fields of the response head; empty until it has arrived. */
  get fields(): readonly (readonly [string, string])[] {
    const [first] = this.frames
    return first === undefined ? [] : decodeFields(first.payload)
  }

  /** Content of the DATA frames, as Latin-1 text. */
  get text(): string {
    const content = this.frames.filter(({ type }) => type === H3Frame.DATA)
    return Buffer.concat(content.map(({ payload }) => payload)).toString('latin1')
  }

  async #read(stream: RawStream): Promise<void> {
    for (let slice; (slice = await stream.read()) !== undefined;) {
      this.#slices.push(slice)
      this.#bytes += slice.byteLength
      if (this.#bytes >= this.#neededBytes) this.#takeFrames(Buffer.concat(this.#slices))
    }
  }

  #takeFrames(bytes: Buffer): void {
    let rest = bytes
    this.#neededBytes = rest.length + 1
    for (;;) {
      const type = readVarint(rest, 0)
      const length = type && readVarint(rest, type.end)
      if (type === undefined || length === undefined) break
      const end = length.end + length.value
      this.#neededBytes = end
      if (rest.length < end) break
      this.frames.push({ type: type.value, payload: rest.subarray(length.end, end) })
      rest = rest.subarray(end)
      this.#neededBytes = rest.length + 1
    }
    this.#slices = [rest]
    this.#bytes = rest.length
  }
}
