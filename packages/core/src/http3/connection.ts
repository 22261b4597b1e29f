import { BufferAccount, type BufferHolder } from '../engine/budget/buffer-account.ts'
import { RequestGate } from '../engine/budget/request-gate.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { ErrorCode, Http3Error } from './errors.ts'
import { encodeFrame, FrameType } from './frames.ts'
import { PeerStreams, StreamType } from './peer-streams.ts'
import type { QuicConnection, QuicConnectionEvents } from './quic/quic.ts'
import { RateBudget } from '../engine/event-loop/rate-budget.ts'
import { traceClose, traceOpen } from '../engine/tracing/connection-trace.ts'
import { StreamTable } from '../engine/collections/stream-table.ts'
import { encodeSettings, Setting } from './settings.ts'
import { StreamOutput } from './stream-output.ts'
import type { StreamOwner } from './stream-owner.ts'
import { Http3Stream } from './stream.ts'
import { encodedVarintLength, MAX_VARINT_BYTES, writeVarint } from './varint.ts'

/** Distance between two request stream IDs (RFC 9114 §6.1, RFC 9000 §2.1). */
const STREAM_STEP = 4
/** Bytes to read from a unidirectional stream per call. */
const READ_BYTES = 4096
/**
 * Largest possible request stream ID, sent in the first of two GOAWAY frames (RFC 9114 §5.2). The server still handles
 * requests that arrive before the second frame, `GOAWAY_GRACE_MS` later.
 */
const LAST_REQUEST_ID = Buffer.from('fffffffffffffffc', 'hex')
const GOAWAY_GRACE_MS = 200
/** Maximum interval, in milliseconds, between the pings that keep a connection open while its responses are idle. */
const MAX_PING_INTERVAL_MS = 10_000

export interface Http3ConnectionOptions {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly onClose: (connection: Http3Connection) => void
}

/**
 * Runs one HTTP/3 connection: the control stream, the client's streams and the shutdown.
 *
 * @see RFC 9114 §3.3, §5, §6
 */
export class Http3Connection
  implements QuicConnectionEvents, StreamOwner<Http3Stream>, Drainable, HasDeadline, BufferHolder
{
  readonly protocol = 'HTTP/3.0'
  deadlineMs: number = Infinity
  place = 0
  watchPlace = 0
  readonly quic: QuicConnection
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly gate: RequestGate
  knownAccount: BufferAccount | undefined = undefined
  readonly #options: Http3ConnectionOptions
  readonly #control: StreamOutput
  readonly #controlId: number
  readonly #peerStreams = new PeerStreams()
  readonly #requests = new StreamTable<Http3Stream>()
  readonly #resets: RateBudget
  readonly #pingIntervalMs: number
  readonly allowsTunnels: boolean
  /** ID of the first request stream that has not been opened. */
  #nextRequestId = 0
  /** ID of the first request stream that is refused. */
  #goawayId = Infinity
  #goawayTimer: NodeJS.Timeout | undefined = undefined

  constructor(quic: QuicConnection, options: Http3ConnectionOptions) {
    const { limits } = options.host
    this.quic = quic
    this.host = options.host
    this.deadlines = options.deadlines
    this.gate = new RequestGate(this)
    this.#options = options
    this.#resets = new RateBudget(limits.maxStreamResetBurst, limits.maxStreamResetsPerSecond, performance.now())
    // Two pings can be lost before the idle timeout.
    this.#pingIntervalMs = Math.min(MAX_PING_INTERVAL_MS, quic.idleTimeoutMs / 3)
    const controlId = quic.openUnidirectional()
    this.#controlId = controlId
    this.#control = new StreamOutput((chunk, isEnd) => quic.write(controlId, chunk, isEnd))
    this.#control.push(encodeNumber(StreamType.CONTROL))
    this.allowsTunnels = options.host.allowsTunnels?.() === true
    this.#control.push(
      encodeSettings([
        [Setting.MAX_FIELD_SECTION_SIZE, limits.maxHeadBytes],
        // Without a dynamic table, one request cannot block another, or leak its fields through compression.
        [Setting.QPACK_MAX_TABLE_CAPACITY, 0],
        [Setting.QPACK_BLOCKED_STREAMS, 0],
        ...(this.allowsTunnels ? [[Setting.ENABLE_CONNECT_PROTOCOL, 1] as const] : []),
      ]),
    )
    this.#control.flush()
    this.#watchIdle()
    this.deadlines.watch(this)
    traceOpen(quic, 'HTTP/3.0')
  }

  get requestsInFlight(): number {
    return this.#requests.list().filter((request) => request.isInFlight).length
  }

  get account(): BufferAccount {
    return (this.knownAccount ??= new BufferAccount(this.host.limits, this))
  }

  onBufferRoom(): void {
    this.gate.onRoom()
  }

  drain(): void {
    if (this.#goawayTimer !== undefined) return
    this.#sendGoaway(LAST_REQUEST_ID)
    this.#goawayTimer = setTimeout(() => {
      this.#goawayId = this.#nextRequestId
      this.#sendGoaway(encodeNumber(this.#goawayId))
      this.#closeIfDone()
    }, GOAWAY_GRACE_MS)
  }

  destroy(): void {
    this.quic.close(ErrorCode.NO_ERROR, '')
  }

  onReadable(streamId: number): void {
    if ((streamId & 2) === 0) this.#request(streamId)?.onReadable()
    else this.#readPeerStream(streamId)
  }

  onReset(streamId: number, code: number): void {
    if ((streamId & 2) === 0) this.#requests.get(streamId)?.onReset(code)
    else this.#attempt(() => this.#peerStreams.end(streamId))
  }

  onStopped(streamId: number, code: number): void {
    if (streamId !== this.#controlId) this.#requests.get(streamId)?.onStopped(code)
    else this.onConnectionError(new Http3Error(ErrorCode.CLOSED_CRITICAL_STREAM, 'The control stream was stopped'))
  }

  onWritable(streamId: number): void {
    if (streamId === this.#controlId) this.#control.flush()
    else this.#requests.get(streamId)?.flush()
  }

  onFlooded(): void {
    this.onConnectionError(new Http3Error(ErrorCode.EXCESSIVE_LOAD, 'Too many bytes outside requests'))
  }

  onExhausted(): void {
    this.drain()
  }

  onClosed(reason: string): void {
    this.deadlines.unwatch(this)
    clearTimeout(this.#goawayTimer)
    this.gate.clear()
    for (const request of this.#requests.list()) request.onConnectionLost(reason)
    this.knownAccount?.close()
    traceClose(this.quic, 'HTTP/3.0')
    this.#options.onClose(this)
  }

  onConnectionError(error: Http3Error): void {
    this.quic.close(error.code, error.message)
  }

  onAborted(): void {
    if (this.#resets.spend(performance.now())) return
    this.onConnectionError(new Http3Error(ErrorCode.EXCESSIVE_LOAD, 'Too many aborted requests'))
  }

  onStreamOver(stream: Http3Stream): void {
    this.#requests.remove(stream)
    if (this.#requests.size > 0) return
    this.#watchIdle()
    this.#closeIfDone()
  }

  onDeadline(): void {
    if (this.#requests.size === 0) this.drain()
    else {
      this.quic.ping()
      this.#watchIdle()
    }
  }

  #request(streamId: number): Http3Stream | undefined {
    const known = this.#requests.get(streamId)
    if (known !== undefined) return known
    if (streamId >= this.#goawayId) {
      this.quic.reset(streamId, ErrorCode.REQUEST_REJECTED)
      this.quic.stopSending(streamId, ErrorCode.REQUEST_REJECTED)
      return undefined
    }
    this.#nextRequestId = Math.max(this.#nextRequestId, streamId + STREAM_STEP)
    const request = new Http3Stream(streamId, this)
    this.#requests.add(request)
    if (this.#requests.size === 1) this.#watchIdle()
    return request
  }

  #readPeerStream(streamId: number): void {
    for (let read; (read = this.quic.read(streamId, READ_BYTES)) !== undefined;) {
      const { chunk, isEnd } = read
      const isRead = this.#attempt(() => {
        this.#peerStreams.push(streamId, chunk)
        if (isEnd) this.#peerStreams.end(streamId)
      })
      if (isEnd || !isRead) return
    }
  }

  /** Runs `run` and handles a connection error. Returns false if it threw one. */
  #attempt(run: () => void): boolean {
    try {
      run()
      return true
    } catch (error) {
      if (!(error instanceof Http3Error)) throw error
      this.onConnectionError(error)
      return false
    }
  }

  #sendGoaway(streamId: Uint8Array): void {
    this.#control.push(encodeFrame(FrameType.GOAWAY, streamId))
    this.#control.flush()
  }

  #closeIfDone(): void {
    if (this.#goawayId !== Infinity && this.#requests.size === 0) this.quic.closeWhenDelivered(ErrorCode.NO_ERROR)
  }

  #watchIdle(): void {
    const { sessionIdleTimeoutMs } = this.host.limits
    this.deadlineMs = this.deadlines.in(this.#requests.size > 0 ? this.#pingIntervalMs : sessionIdleTimeoutMs)
  }
}

function encodeNumber(value: number): Uint8Array {
  const bytes = Buffer.alloc(MAX_VARINT_BYTES)
  writeVarint(bytes, value, 0)
  return bytes.subarray(0, encodedVarintLength(value))
}
