import { Duplex } from 'node:stream'
import {
  connectH3,
  decodeFields,
  encodeFields,
  type H3Client,
  H3Frame,
  h3Frame,
  type RawStream,
  readVarint,
} from '@fw/testing/h3'

/** Error code for an aborted request (RFC 9114 §8.1). */
const H3_REQUEST_CANCELLED = 0x10c

/** Connects to the QUIC port of a server. */
export function openHttp3(port: number): Promise<H3Client> {
  return connectH3({ port })
}

/** Opens a stream, sends a request head, and waits for the response head. */
export async function requestHttp3(
  client: H3Client,
  fields: readonly (readonly [string, string])[],
): Promise<{ readonly fields: ReadonlyMap<string, string>; readonly stream: Duplex }> {
  const raw = await client.connection.openStream()
  await raw.send(h3Frame(H3Frame.HEADERS, encodeFields(fields)))
  const stream = new Http3Tunnel(raw)
  return { fields: await stream.head, stream }
}

/** The DATA frames of a stream as a byte stream. */
class Http3Tunnel extends Duplex {
  readonly head: Promise<ReadonlyMap<string, string>>
  readonly #raw: RawStream
  readonly #head = Promise.withResolvers<ReadonlyMap<string, string>>()
  #resume: (() => void) | undefined

  constructor(raw: RawStream) {
    super({ allowHalfOpen: true })
    this.#raw = raw
    this.head = this.#head.promise
    this.on('error', () => {})
    this.#readAll().then(
      () => this.push(null),
      (error: Error) => this.destroy(error),
    )
  }

  override _read(): void {
    this.#resume?.()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    void this.#send(h3Frame(H3Frame.DATA, chunk), false, done)
  }

  override _final(done: (error?: Error) => void): void {
    void this.#send('', true, done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (error === null && !this.readableEnded) this.#raw.reset(H3_REQUEST_CANCELLED)
    done(error)
  }

  async #send(bytes: Uint8Array | string, end: boolean, done: (error?: Error) => void): Promise<void> {
    await this.#raw.send(bytes, { end })
    done()
  }

  async #readAll(): Promise<void> {
    let rest = Buffer.alloc(0)
    for (let slice; (slice = await this.#raw.read()) !== undefined;) {
      rest = Buffer.concat([rest, slice])
      for (let frame; (frame = readFrame(rest)) !== undefined;) {
        rest = rest.subarray(frame.end)
        if (frame.type === H3Frame.HEADERS) this.#head.resolve(new Map(decodeFields(frame.payload)))
        else if (frame.type === H3Frame.DATA && !this.push(Buffer.from(frame.payload))) await this.#wanted()
      }
    }
  }

  #wanted(): Promise<void> {
    return new Promise((resolve) => (this.#resume = resolve))
  }
}

function readFrame(
  bytes: Buffer,
): { readonly type: number; readonly payload: Buffer; readonly end: number } | undefined {
  const type = readVarint(bytes, 0)
  const length = type && readVarint(bytes, type.end)
  if (type === undefined || length === undefined) return undefined
  const end = length.end + length.value
  return bytes.length < end ? undefined : { type: type.value, payload: bytes.subarray(length.end, end), end }
}
