import type { Random } from '@fw/testing/fuzz'
import {
  Flag,
  FrameType,
  Setting,
  frame,
  priorityUpdate,
  rstStream,
  settings,
  uint32,
  windowUpdate,
} from '../../test/http2/frames.ts'
import { HpackGrammar } from './hpack-grammar.ts'
import { requestFields, trailerFields } from './request-grammar.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const CONTENT = 'abcdefghijklmnopqrstuvwxyz'

/** Valid priority values (RFC 9218 §4), and an invalid one. */
const PRIORITIES: readonly [string, ...string[]] = ['', 'u=0', 'u=1, i', 'i', 'u=6', 'u=7, i', 'u=1,,']

interface OpenStream {
  readonly id: number
  /** Remaining bytes of content: the announced length, or an arbitrary one. */
  left: number
}

/** Generates frames from a client: mostly valid, with typical errors. */
export class ClientGrammar {
  readonly #random: Random
  readonly #hpack: HpackGrammar
  readonly #frames: Buffer[] = []
  readonly #open: OpenStream[] = []
  #nextId = 1

  constructor(random: Random) {
    this.#random = random
    this.#hpack = new HpackGrammar(random)
  }

  /** Returns the bytes that a client sends on a connection, one frame per slice unless frames are split. */
  frames(): Buffer[] {
    const random = this.#random
    const frames = this.#frames
    frames.push(PREFACE, random.chance(0.02) ? this.#anyFrame() : this.#settings())
    if (random.chance(0.5)) frames.push(frame(FrameType.SETTINGS, Flag.ACK, 0))
    for (let count = 1 + random.below(14); count > 0; count--) this.#step()
    // Finish most streams, so that there are results to compare.
    if (random.chance(0.8)) for (const stream of this.#open.slice()) if (random.chance(0.9)) this.#finish(stream)
    if (random.chance(0.05)) this.#mutate()
    return frames
  }

  #step(): void {
    const random = this.#random
    const roll = random.next()
    const stream = this.#open[random.below(this.#open.length)]
    if (roll < 0.35 || stream === undefined) this.#request()
    else if (roll < 0.55) this.#data(stream, false)
    else if (roll < 0.65) this.#finish(stream)
    else if (roll < 0.7) this.#frames.push(windowUpdate(random.pick([0, stream.id]), this.#increment()))
    else if (roll < 0.75) this.#frames.push(this.#settings())
    else if (roll < 0.79) this.#frames.push(frame(FrameType.PING, 0, 0, '12345678'))
    else if (roll < 0.82) this.#reset(stream)
    else if (roll < 0.85)
      this.#frames.push(frame(FrameType.PRIORITY, 0, stream.id, Buffer.concat([uint32(0), Buffer.of(15)])))
    else if (roll < 0.88)
      this.#frames.push(frame(10 + random.below(246), random.below(256), random.below(9), 'unknown'))
    else if (roll < 0.9) this.#frames.push(this.#anyFrame())
    else if (roll < 0.92) this.#late()
    else if (roll < 0.925) this.#upload(stream)
    else if (roll < 0.955) this.#prioritize(stream)
    else this.#request()
  }

  #request(): void {
    const random = this.#random
    const id = this.#nextId
    this.#nextId += random.chance(0.9) ? 2 : random.pick([0, 1, 4, 100])
    const hasBody = random.chance(0.5)
    const left = hasBody ? random.pick([0, 3, 6, 20]) : 0
    const isAnnounced = hasBody ? random.chance(0.5) : random.chance(0.05)
    const again = hasBody || random.chance(0.7) ? undefined : this.#hpack.repeatedBlock()
    if (again !== undefined) {
      this.#headers(id, again, true)
      return
    }
    const fields = requestFields(random, isAnnounced ? (random.chance(0.05) ? left + 1 : left) : undefined)
    this.#headers(id, random.chance(0.01) ? this.#hpack.brokenBlock() : this.#hpack.block(fields), !hasBody)
    if (hasBody) this.#open.push({ id, left })
  }

  #data(stream: OpenStream, isLast: boolean): void {
    const random = this.#random
    const length = isLast ? stream.left : Math.min(stream.left, random.below(4))
    stream.left -= length
    const excess = random.chance(0.02) ? 1 : 0
    const payload = Buffer.from(CONTENT.slice(0, Math.max(0, length + excess)))
    const flags = isLast ? Flag.END_STREAM : 0
    this.#frames.push(
      random.chance(0.2)
        ? frame(FrameType.DATA, flags | Flag.PADDED, stream.id, this.#padded(payload))
        : frame(FrameType.DATA, flags, stream.id, payload),
    )
    if (isLast) this.#forget(stream)
  }

  /** Sends much content at the same time, regardless of windows. */
  #upload(stream: OpenStream): void {
    const payload = Buffer.alloc(16_384, 'u')
    for (let count = 1 + this.#random.below(8); count > 0; count--) {
      this.#frames.push(frame(FrameType.DATA, 0, stream.id, payload))
    }
  }

  #finish(stream: OpenStream): void {
    const random = this.#random
    if (random.chance(0.6)) {
      this.#data(stream, true)
      return
    }
    if (stream.left > 0) this.#data(stream, false)
    if (stream.left > 0) this.#frames.push(frame(FrameType.DATA, 0, stream.id, CONTENT.slice(0, stream.left)))
    this.#headers(stream.id, this.#hpack.block(trailerFields(random)), random.chance(0.98))
    this.#forget(stream)
  }

  /** Returns the ID of an open, a closed or a future stream. */
  #prioritize(stream: OpenStream): void {
    const random = this.#random
    const id = random.pick([stream.id, stream.id, this.#nextId, random.below(this.#nextId + 4)])
    this.#frames.push(priorityUpdate(id, random.pick(PRIORITIES)))
  }

  /** Writes HEADERS, and CONTINUATION if the block is split. */
  #headers(id: number, block: Buffer, endsStream: boolean): void {
    const random = this.#random
    const cuts = random.chance(0.2)
      ? Array.from({ length: 1 + random.below(3) }, () => random.below(block.length + 1))
      : []
    const ends = [...cuts.toSorted((a, b) => a - b), block.length]
    ends.forEach((end, i) => {
      const fragment = block.subarray(i === 0 ? 0 : ends[i - 1], end)
      const isLast = i === ends.length - 1 && !random.chance(0.005)
      const flags = isLast ? Flag.END_HEADERS : 0
      this.#frames.push(
        i === 0
          ? this.#head(id, fragment, flags | (endsStream ? Flag.END_STREAM : 0))
          : frame(FrameType.CONTINUATION, flags, id, fragment),
      )
      if (random.chance(0.005)) this.#frames.push(frame(FrameType.PING, 0, 0, '12345678'))
    })
  }

  #head(id: number, fragment: Buffer, flags: number): Buffer {
    const random = this.#random
    const hasPriority = random.chance(0.1)
    const payload = hasPriority
      ? Buffer.concat([uint32(random.pick([0, 0x8000_0000])), Buffer.of(200), fragment])
      : fragment
    const all = flags | (hasPriority ? Flag.PRIORITY : 0)
    return random.chance(0.1)
      ? frame(FrameType.HEADERS, all | Flag.PADDED, id, this.#padded(payload))
      : frame(FrameType.HEADERS, all, id, payload)
  }

  #padded(payload: Buffer): Buffer {
    const random = this.#random
    const padding = random.pick([0, 1, 5, 255])
    const notified = random.chance(0.02) ? random.below(256) : padding
    return Buffer.concat([Buffer.of(notified), payload, Buffer.alloc(padding)])
  }

  #settings(): Buffer {
    const random = this.#random
    const entries: [number, number][] = []
    while (random.chance(0.4)) {
      entries.push(
        random.pick<[number, number]>([
          [Setting.HEADER_TABLE_SIZE, random.pick([0, 50, 200, 4096, 65_536])],
          [Setting.INITIAL_WINDOW_SIZE, random.pick([0, 1, 5, 30, 65_535, 1_000_000])],
          [Setting.MAX_FRAME_SIZE, random.pick([16_384, 65_536])],
          [Setting.MAX_CONCURRENT_STREAMS, random.below(100)],
          [Setting.ENABLE_PUSH, random.below(2)],
          [Setting.MAX_HEADER_LIST_SIZE, random.below(100_000)],
          [0xff00, 1],
        ]),
      )
    }
    if (random.chance(0.02)) {
      entries.push(
        random.pick<[number, number]>([
          [Setting.ENABLE_PUSH, 2],
          [Setting.INITIAL_WINDOW_SIZE, 2 ** 31],
          [Setting.INITIAL_WINDOW_SIZE, 2 ** 31 - 1],
          [Setting.MAX_FRAME_SIZE, 16_383],
          [Setting.MAX_FRAME_SIZE, 2 ** 24],
          [Setting.NO_RFC7540_PRIORITIES, 2],
        ]),
      )
    }
    return settings(...entries)
  }

  #increment(): number {
    return this.#random.pick([1, 2, 10, 1000, 65_535, 2 ** 31 - 1])
  }

  #reset(stream: OpenStream): void {
    this.#frames.push(rstStream(stream.id, this.#random.pick([0, 1, 7, 8, 0xff])))
    this.#forget(stream)
  }

  /** Writes a frame for a used or an unused stream. */
  #late(): void {
    const random = this.#random
    const id = random.below(this.#nextId + 4)
    this.#frames.push(
      random.pick([
        frame(FrameType.DATA, random.below(2), id, 'abc'),
        windowUpdate(id, 1),
        rstStream(id),
        frame(FrameType.CONTINUATION, Flag.END_HEADERS, id),
        frame(FrameType.GOAWAY, 0, 0, Buffer.alloc(8)),
        frame(FrameType.HEADERS, Flag.END_HEADERS | Flag.END_STREAM, id, this.#hpack.block(trailerFields(random))),
      ]),
    )
  }

  /** Writes a frame with any type, flags and length. */
  #anyFrame(): Buffer {
    const random = this.#random
    const payload = Buffer.from(Array.from({ length: random.below(12) }, () => random.below(256)))
    return frame(random.below(11), random.below(256), random.below(this.#nextId + 4), payload)
  }

  #mutate(): void {
    const random = this.#random
    const at = random.below(this.#frames.length)
    const changed = Buffer.from(this.#frames[at] ?? '')
    const byte = random.below(changed.length)
    if (random.chance(0.7)) changed[byte] = random.below(256)
    this.#frames[at] = random.chance(0.3) ? changed.subarray(0, byte) : changed
  }

  #forget(stream: OpenStream): void {
    const at = this.#open.indexOf(stream)
    if (at >= 0) this.#open.splice(at, 1)
  }
}
