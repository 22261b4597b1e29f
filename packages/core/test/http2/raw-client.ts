import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import { Flag, FrameType, Setting, errorName, frame, settings, takeFrames, uint32, type Frame } from './frames.ts'
import { block, decodeBlock, headers, type Field } from './hpack.ts'

/** Timeout for responses from a server on the same, possibly busy, machine. */
const WAIT = { timeout: 30_000, interval: 5 }
export const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

export interface RawClientOptions {
  /** Settings to send in addition to HEADER_TABLE_SIZE 0. */
  readonly settings?: readonly (readonly [id: number, value: number])[]
  /** `false` to send neither preface nor SETTINGS. */
  readonly preface?: boolean
  /** `false` not to acknowledge the server's SETTINGS. */
  readonly acknowledges?: boolean
}

/** Encodes the field block of a valid request. */
export function request(method = 'GET', path = '/', ...fields: readonly Field[]): Buffer {
  return block([':method', method], [':scheme', 'http'], [':authority', 'localhost'], [':path', path], ...fields)
}

/** Sends arbitrary bytes to an HTTP/2 server, and stores the frames that it receives. */
export class RawClient {
  readonly socket: Socket
  readonly frames: Frame[] = []
  isClosed = false
  #rest: Buffer = Buffer.alloc(0)

  private constructor(socket: Socket, acknowledges: boolean) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('close', () => (this.isClosed = true))
    socket.on('data', (slice: Buffer) => {
      const { frames, rest } = takeFrames(Buffer.concat([this.#rest, slice]))
      this.#rest = rest
      for (const received of frames) {
        this.frames.push(received)
        if (received.type === FrameType.SETTINGS && received.flags === 0 && acknowledges) {
          this.send(frame(FrameType.SETTINGS, Flag.ACK, 0))
        }
      }
    })
    onTestFinished(() => {
      socket.destroy()
    })
  }

  /** Connects and, by default, completes the preface on both sides. */
  static async connect(port: number, options: RawClientOptions = {}): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const client = new RawClient(socket, options.acknowledges ?? true)
    await once(socket, 'connect')
    if (options.preface === false) return client
    client.send(PREFACE, settings([Setting.HEADER_TABLE_SIZE, 0], ...(options.settings ?? [])))
    await vi.waitUntil(() => client.of(FrameType.SETTINGS).length === 2, WAIT)
    return client
  }

  send(...parts: readonly (Uint8Array | string)[]): void {
    if (this.socket.writable) this.socket.write(Buffer.concat(parts.map((part) => Buffer.from(part))))
  }

  of(type: number, streamId?: number): Frame[] {
    return this.frames.filter((each) => each.type === type && (streamId === undefined || each.streamId === streamId))
  }

  /** Returns the fields of every field section received on a stream. */
  sections(streamId: number): Field[][] {
    return this.of(FrameType.HEADERS, streamId).map(({ payload }) => decodeBlock(payload))
  }

  /** Returns the status codes received on a stream, including 1xx. */
  statuses(streamId: number): string[] {
    return this.sections(streamId).flatMap((fields) => fields.filter(([name]) => name === ':status').map(([, v]) => v))
  }

  /** Returns the content received on a stream, as Latin-1 text. */
  body(streamId: number): string {
    return Buffer.concat(this.of(FrameType.DATA, streamId).map(({ payload }) => payload)).toString('latin1')
  }

  /** Reports whether the server has ended its side of a stream. */
  hasEnded(streamId: number): boolean {
    return this.frames.some(
      ({ type, flags, streamId: id }) =>
        id === streamId && (type === FrameType.DATA || type === FrameType.HEADERS) && (flags & Flag.END_STREAM) !== 0,
    )
  }

  get goaway(): string | undefined {
    const [received] = this.of(FrameType.GOAWAY)
    return received && errorName(received.payload.readUInt32BE(4))
  }

  reset(streamId: number): string | undefined {
    const [received] = this.of(FrameType.RST_STREAM, streamId)
    return received && errorName(received.payload.readUInt32BE(0))
  }

  /** Returns the outcome of a stream: `connection <error>`, `stream <error>`, `status <code>`, `closed`, or `undefined`. */
  outcome(streamId: number): string | undefined {
    if (this.goaway !== undefined && this.goaway !== 'NO_ERROR') return `connection ${this.goaway}`
    const reset = this.reset(streamId)
    if (reset !== undefined && reset !== 'NO_ERROR') return `stream ${reset}`
    const status = this.statuses(streamId).at(-1)
    if (status !== undefined) return `status ${status}`
    return this.isClosed ? 'closed' : undefined
  }

  /** Resolves once the server has read all sent bytes, or has closed the connection. */
  async ping(bytes: Uint8Array | string = '12345678'): Promise<void> {
    const before = this.of(FrameType.PING).length
    this.send(frame(FrameType.PING, 0, 0, bytes))
    await vi.waitUntil(() => this.isClosed || this.of(FrameType.PING).length > before, WAIT)
  }

  /** Reports whether the connection still serves a request. */
  async serves(streamId: number): Promise<boolean> {
    this.send(headers(streamId, request()))
    await vi.waitUntil(() => this.outcome(streamId) !== undefined, WAIT)
    return this.outcome(streamId) === 'status 200'
  }

  get lastStreamId(): number | undefined {
    return this.of(FrameType.GOAWAY).at(-1)?.payload.readUInt32BE(0)
  }
}

/** Returns the settings that the server sent. */
export function serverSettings(client: RawClient): Map<number, number> {
  const [received] = client.of(FrameType.SETTINGS)
  const found = new Map<number, number>()
  const payload = received?.payload ?? uint32(0).subarray(4)
  for (let at = 0; at + 6 <= payload.length; at += 6) found.set(payload.readUInt16BE(at), payload.readUInt32BE(at + 2))
  return found
}
