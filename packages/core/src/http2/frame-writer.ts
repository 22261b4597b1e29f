import type { Socket } from 'node:net'
import { answerBatch, type Holder } from '../engine/answer-batch.ts'
import { outsideRequests } from '../engine/outside.ts'
import type { FieldList } from '@fw/types'
import { HpackEncoder } from './hpack-encoder.ts'
import { DEFAULT_FRAME_BYTES, Flag, FRAME_HEAD_BYTES, FrameType } from './frames.ts'

/** Room for frames that are put together before they leave. */
const BUFFER_BYTES = 16 * 1024
/** Payloads up to this size are copied behind what is there already; to write them apart costs more. */
const COPIED_BYTES = 4 * 1024
/** What waits at most for more to leave with. */
const FLUSH_BYTES = 64 * 1024
/** Buffers that are kept for the next connection that has something to say. */
const MAX_FREE_BUFFERS = 64

const free: Buffer[] = []

/**
 * Puts frames together and gives them to the socket of a connection: those of one turn of the event loop in one write.
 *
 * @see RFC 9113 §4.1, §6
 */
export class FrameWriter implements Holder {
  /** Octets of all frames so far. */
  framedBytes = 0
  readonly encoder: HpackEncoder = new HpackEncoder()
  readonly #socket: Socket
  /** Frames behind those in `#parts`, up to `#at`. */
  #buffer: Buffer | undefined = undefined
  #at = 0
  /** From where what is in the buffer is not in `#parts`. */
  #from = 0
  /** What leaves next, in order. */
  #parts: Uint8Array[] = []
  #partsBytes = 0
  #isHeld = false
  #isScheduled = false
  /** Whether nothing can be sent any more. */
  #isOver = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Octets of those in `framedBytes` that the socket has taken; what is behind them must be left alone. */
  get takenBytes(): number {
    return this.framedBytes - this.bufferedBytes
  }

  /** Octets that the socket has not taken. */
  get bufferedBytes(): number {
    return this.#unsentBytes + this.#socket.writableLength
  }

  /** Whether the socket wants a pause. */
  get isBlocked(): boolean {
    return this.#socket.writableNeedDrain || this.#unsentBytes >= FLUSH_BYTES
  }

  /** Sends what is there with the answers of other connections, at the end of the turn at the latest. */
  hold(): void {
    if (this.#isHeld || this.#isScheduled) return
    this.#isHeld = true
    answerBatch.add(this)
  }

  /** Sends what is there as soon as whoever runs now is done. */
  flushSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    queueMicrotask(() => this.flush())
  }

  release(): void {
    this.#isHeld = false
    this.flush()
  }

  /** Sends what is there, and that nothing follows. @param onTaken Called when the socket has taken it all */
  end(onTaken: () => void): void {
    this.flush()
    this.#isOver = true
    outsideRequests(endSocket, this.#socket, onTaken)
  }

  /** The socket is closed. */
  close(): void {
    this.#isOver = true
    this.#drop()
  }

  /** Sends what is there. */
  flush(): void {
    this.#isScheduled = false
    if (this.#isOver) {
      this.#drop()
      return
    }
    const buffer = this.#buffer
    this.#closePart()
    const parts = this.#parts
    if (parts.length === 0) return
    this.#drop()
    // The next connection that has something to say may use the buffer, once the operating system has what is in it.
    const recycle = buffer && ((error?: Error | null) => void (error ?? giveBack(buffer)))
    // The `drain` that may follow is not of the request that is at work.
    outsideRequests(writeAll, this.#socket, parts, recycle)
  }

  /** @param endsStream Whether END_STREAM is set, and nothing follows on the stream */
  data(streamId: number, payload: Uint8Array, endsStream: boolean): void {
    this.#frame(FrameType.DATA, endsStream ? Flag.END_STREAM : 0, streamId, payload)
  }

  /** As `data` that ends the stream, of a short text that has one octet a character (latin1). */
  lastText(streamId: number, text: string): void {
    const buffer = this.#room(text.length)
    buffer.write(text, this.#begin(buffer, FrameType.DATA, Flag.END_STREAM, streamId, text.length), 'latin1')
    this.#added()
  }

  /** A field section in as many frames as it takes. @param status 0 for trailers */
  fields(streamId: number, endsStream: boolean, status: number, fields: FieldList): void {
    const flags = endsStream ? Flag.END_STREAM : 0
    const { encoder } = this
    let buffer = this.#room(0)
    let end = encoder.encode(status, fields, buffer, this.#at + FRAME_HEAD_BYTES)
    if (end === -1) {
      const maxBytes = HpackEncoder.maxBytes(fields)
      if (maxBytes > BUFFER_BYTES - FRAME_HEAD_BYTES) {
        const space = Buffer.allocUnsafe(maxBytes)
        this.#longBlock(streamId, flags, space.subarray(0, encoder.encode(status, fields, space, 0)))
        return
      }
      buffer = this.#room(maxBytes)
      end = encoder.encode(status, fields, buffer, this.#at + FRAME_HEAD_BYTES)
    }
    const length = end - this.#at - FRAME_HEAD_BYTES
    this.#begin(buffer, FrameType.HEADERS, flags | Flag.END_HEADERS, streamId, length)
    this.#added()
  }

  rstStream(streamId: number, code: number): void {
    this.#numbers(FrameType.RST_STREAM, streamId, code)
  }

  settings(payload: Uint8Array): void {
    this.#frame(FrameType.SETTINGS, 0, 0, payload)
  }

  settingsAck(): void {
    this.#frame(FrameType.SETTINGS, Flag.ACK, 0, NOTHING)
  }

  ping(): void {
    this.#frame(FrameType.PING, 0, 0, PING_PAYLOAD)
  }

  pingAck(payload: Uint8Array): void {
    this.#frame(FrameType.PING, Flag.ACK, 0, payload)
  }

  goaway(lastStreamId: number, code: number): void {
    this.#numbers(FrameType.GOAWAY, 0, lastStreamId, code)
  }

  windowUpdate(streamId: number, octets: number): void {
    this.#numbers(FrameType.WINDOW_UPDATE, streamId, octets)
  }

  get #unsentBytes(): number {
    return this.#partsBytes + (this.#at - this.#from)
  }

  #numbers(type: number, streamId: number, ...values: number[]): void {
    const length = 4 * values.length
    const buffer = this.#room(length)
    let at = this.#begin(buffer, type, 0, streamId, length)
    for (const value of values) at = buffer.writeUInt32BE(value, at)
    this.#added()
  }

  /** A frame whose payload is copied if it is short. */
  #frame(type: number, flags: number, streamId: number, payload: Uint8Array): void {
    const { byteLength } = payload
    if (byteLength <= COPIED_BYTES) {
      const buffer = this.#room(byteLength)
      buffer.set(payload, this.#begin(buffer, type, flags, streamId, byteLength))
    } else {
      const at = this.#begin(this.#room(0), type, flags, streamId, byteLength)
      // The payload is not in the buffer, but follows what is.
      this.#at = at
      this.#closePart()
      this.#parts.push(payload)
      this.#partsBytes += byteLength
    }
    this.#added()
  }

  /** One that may not fit into a frame, or the buffer. */
  #longBlock(streamId: number, flags: number, block: Buffer): void {
    let type: number = FrameType.HEADERS
    for (let at = 0; at === 0 || at < block.length; at += DEFAULT_FRAME_BYTES) {
      const fragment = block.subarray(at, at + DEFAULT_FRAME_BYTES)
      const isLast = at + DEFAULT_FRAME_BYTES >= block.length
      this.#frame(type, (at === 0 ? flags : 0) | (isLast ? Flag.END_HEADERS : 0), streamId, fragment)
      type = FrameType.CONTINUATION
    }
  }

  /** A buffer with room for a frame of that payload. */
  #room(payloadBytes: number): Buffer {
    const buffer = this.#buffer
    if (buffer !== undefined && this.#at + FRAME_HEAD_BYTES + payloadBytes <= buffer.length) return buffer
    this.#closePart()
    this.#at = 0
    this.#from = 0
    return (this.#buffer = free.pop() ?? Buffer.allocUnsafeSlow(BUFFER_BYTES))
  }

  /** Writes the head of a frame. @returns Where its payload begins */
  #begin(buffer: Buffer, type: number, flags: number, streamId: number, payloadBytes: number): number {
    const at = this.#at
    writeLength(buffer, at, payloadBytes)
    buffer[at + 3] = type
    buffer[at + 4] = flags
    buffer[at + 5] = streamId >>> 24
    buffer[at + 6] = streamId >>> 16
    buffer[at + 7] = streamId >>> 8
    buffer[at + 8] = streamId
    this.#at = at + FRAME_HEAD_BYTES + payloadBytes
    this.framedBytes += FRAME_HEAD_BYTES + payloadBytes
    return at + FRAME_HEAD_BYTES
  }

  /** Begins anew. Frames may still be made when nothing can be sent any more, for streams that do not know yet. */
  #drop(): void {
    this.#parts = []
    this.#partsBytes = 0
    this.#buffer = undefined
    this.#at = 0
    this.#from = 0
  }

  /** What follows is not in the buffer, or in another one. */
  #closePart(): void {
    const buffer = this.#buffer
    if (buffer === undefined || this.#at === this.#from) return
    this.#parts.push(buffer.subarray(this.#from, this.#at))
    this.#partsBytes += this.#at - this.#from
    this.#from = this.#at
  }

  #added(): void {
    if (this.#unsentBytes >= FLUSH_BYTES && !this.#socket.writableNeedDrain) this.flush()
  }
}

const NOTHING = Buffer.alloc(0)
/** Of our own pings, there is never more than one. */
const PING_PAYLOAD = Buffer.from('fw drain')

/** Hands all parts to a socket at once. @param onTaken Called when it has taken them, or has failed */
function writeAll(socket: Socket, parts: readonly Uint8Array[], onTaken?: (error?: Error | null) => void): void {
  const last = parts.length - 1
  if (last > 0) socket.cork()
  for (const [at, part] of parts.entries()) socket.write(part, at === last ? onTaken : undefined)
  if (last > 0) socket.uncork()
}

function endSocket(socket: Socket, onTaken: () => void): void {
  socket.end(onTaken)
}

function giveBack(buffer: Buffer): void {
  if (free.length < MAX_FREE_BUFFERS) free.push(buffer)
}

function writeLength(buffer: Buffer, at: number, length: number): void {
  buffer[at] = length >>> 16
  buffer[at + 1] = length >>> 8
  buffer[at + 2] = length
}
