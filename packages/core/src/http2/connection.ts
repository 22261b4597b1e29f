import type { ConnectionTrace } from '@fw/types'
import { BufferAccount, type BufferHolder } from '../engine/budget/buffer-account.ts'
import { AbortedError } from '../engine/errors.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { LingerLimits } from '../engine/socket/linger-limits.ts'
import { ReadFlow, type FlowOwner } from '../engine/socket/read-flow.ts'
import { connectionTrace, traceClose } from '../engine/tracing/connection-trace.ts'
import { receivedNow } from '../engine/tracing/request-trace.ts'
import type { Transport, TransportOwner } from '../engine/transport.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { FrameReceiver, type FrameOwner } from './frame-receiver.ts'
import { FrameWriter } from './sending/frame-writer.ts'
import { MAX_STREAM_ID } from './frames/frame-types.ts'
import { OutputWatch } from './sending/output-watch.ts'
import { Sender } from './sending/sender.ts'
import { ClientSettings, serverSettings } from './frames/settings.ts'
import { Http2Streams, type StreamsOwner } from './streams.ts'

/** A connection's phase. */
type Phase =
  | 'open'
  /** Sends the first GOAWAY with the next request, or after `drainIdleMs` without a request. */
  | 'leaving'
  /** Still serves new streams, because the client can have opened them before it received the first GOAWAY. */
  | 'draining'
  /** Ignores new streams, and closes after the last open one. */
  | 'ending'
  /** Has sent all frames. Discards received bytes until the client closes the connection. */
  | 'lingering'
  | 'closed'

/**
 * Maximum number of bytes buffered for the transport. Above it, the connection stops reading, because the client is not
 * reading its responses.
 */
const MAX_UNSENT_BYTES = 256 * 1024

export interface Http2ConnectionOptions {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly onClose: (connection: Http2Connection) => void
}

/**
 * Serves one HTTP/2 connection. Owns the transport, limits reading to its share of the event loop, and runs the
 * shutdown.
 *
 * @see RFC 9113 §3.4 (preface), §5.4 (errors), §6.8 (end)
 */
// docs/decisions/0087
export class Http2Connection
  implements Drainable, HasDeadline, TransportOwner, FlowOwner, FrameOwner, StreamsOwner, BufferHolder
{
  readonly protocol = 'HTTP/2.0'
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly sender: Sender
  readonly clientSettings: ClientSettings = new ClientSettings()
  isAcknowledged = false
  knownAccount: BufferAccount | undefined = undefined
  deadlineMs: number
  place = 0
  watchPlace = 0
  readMs = 0
  readonly #transport: Transport
  readonly #onClosed: (connection: Http2Connection) => void
  readonly #writer: FrameWriter
  readonly #streams: Http2Streams
  readonly #frames: FrameReceiver
  readonly #flow: ReadFlow
  readonly #output: OutputWatch
  #phase: Phase = 'open'
  #isAdvancing = false
  /** Limits for discarding, set once the server has ended its direction. */
  #linger: LingerLimits | undefined = undefined
  /** Whether the client ended its direction while received bytes were still queued. */
  #hasEnded = false
  /** Time at which an idle connection, or the current phase of its shutdown, ends. */
  #idleDeadlineMs: number

  constructor(transport: Transport, { host, deadlines, onClose }: Http2ConnectionOptions) {
    const nowMs = performance.now()
    const { limits } = host
    this.host = host
    this.deadlines = deadlines
    this.#transport = transport
    this.#onClosed = onClose
    this.#writer = new FrameWriter(transport)
    this.sender = new Sender(this.#writer)
    // RFC 9113 §3.4: SETTINGS is the server's preface and must be the first frame.
    const allowsTunnels = host.allowsTunnels?.() === true
    this.#writer.settings(serverSettings(limits, allowsTunnels))
    this.#streams = new Http2Streams(this, allowsTunnels)
    this.#frames = new FrameReceiver(this, this.#streams)
    this.#flow = new ReadFlow(transport, limits.maxPipelinedRequests, this)
    this.#output = new OutputWatch(this.sender, deadlines, limits, nowMs)
    this.#idleDeadlineMs = deadlines.in(limits.sessionIdleTimeoutMs, nowMs)
    this.deadlineMs = Math.min(this.#idleDeadlineMs, this.#frames.deadlineMs, this.#output.deadlineMs)
    this.#writer.flushSoon()
    transport.open(this)
    deadlines.watch(this)
  }

  get scheme(): 'http' | 'https' {
    return this.#transport.isEncrypted ? 'https' : 'http'
  }
  get requestsInFlight(): number {
    return this.#streams.requestsInFlight
  }
  get trace(): ConnectionTrace {
    return connectionTrace(this.#transport, 'HTTP/2.0')
  }
  get remoteAddress(): string | undefined {
    return this.#transport.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#transport.remotePort
  }
  get hasProxySource(): boolean {
    return this.#transport.hasProxySource
  }

  get account(): BufferAccount {
    return (this.knownAccount ??= new BufferAccount(this.host.limits, this))
  }

  onBufferRoom(): void {
    if (this.#isReading) this.#streams.onBufferRoom()
  }

  onBlock(difference: number): void {
    this.account.add(difference)
  }

  drain(): void {
    if (this.#phase !== 'open') return
    const { drainIdleMs, sessionIdleTimeoutMs } = this.host.limits
    const idleMs = performance.now() - (this.#idleDeadlineMs - sessionIdleTimeoutMs)
    if (drainIdleMs === 0 || idleMs >= drainIdleMs) {
      this.#announceEnd()
      return
    }
    // Many clients fail requests that are queued when GOAWAY arrives. A client that has just sent a request has an
    // empty queue.
    this.#phase = 'leaving'
    this.#setIdleDeadline(drainIdleMs)
  }

  destroy(): void {
    this.#phase = 'closed'
    this.#transport.destroy()
  }

  onReadTurn(): void {
    this.#advance()
    if (this.#hasEnded) this.onEnd()
  }

  onDeadlineSet(deadlineMs: number): void {
    if (deadlineMs < this.deadlineMs) this.deadlineMs = deadlineMs
  }

  onBusy(): void {
    if (this.#phase === 'open') this.#idleDeadlineMs = Infinity
  }

  onIdle(): void {
    if (this.#phase === 'open') this.#setIdleDeadline(this.host.limits.sessionIdleTimeoutMs)
    else if (this.#phase === 'ending') this.#end()
  }

  onFieldsBegin(): void {
    if (this.#phase === 'leaving') this.#announceEnd()
  }

  onWork(): void {
    this.#flow.addRequest()
  }

  onSettingsAcknowledged(): void {
    this.isAcknowledged = true
  }

  onPingAcknowledged(): void {
    if (this.#phase === 'draining') this.#leave()
  }

  /** Handles GOAWAY, after which the client opens no more streams. */
  onGoaway(code: number): void {
    if (code === ErrorCode.NO_ERROR) this.#leave()
    else this.destroy()
  }

  onDeadline(): void {
    const nowMs = performance.now()
    if (nowMs >= this.#idleDeadlineMs) this.#onIdleTooLong()
    if (nowMs >= this.#frames.deadlineMs) {
      // As on HTTP/1.1, close a connection without a response if the client has sent no request.
      if (!this.#frames.hasBegun) return this.destroy()
      this.#fail(new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Request head took too long'))
    }
    if (nowMs >= this.#output.deadlineMs && this.#output.isStalled(nowMs)) this.destroy()
    const nextMs = this.#streams.expire(nowMs)
    // Streams that ended in `expire` can have set an earlier deadline.
    const ownMs = Math.min(this.#idleDeadlineMs, this.#frames.deadlineMs, this.#output.deadlineMs)
    this.deadlineMs = Math.min(this.deadlineMs, nextMs, ownMs)
  }

  #onIdleTooLong(): void {
    this.#idleDeadlineMs = Infinity
    if (this.#phase === 'open' || this.#phase === 'leaving') this.#announceEnd()
    else if (this.#phase === 'draining') this.#leave()
    else this.destroy()
  }

  onBytes(chunk: Buffer): void {
    if (this.#phase === 'closed') return
    if (this.#linger !== undefined) return this.#discard(this.#linger, chunk.length)
    this.readMs = receivedNow()
    try {
      this.#frames.push(chunk)
    } catch (error) {
      this.#failBy(error)
      return
    }
    this.#advance()
    this.#flow.addBytes(chunk.length)
  }

  onEnd(): void {
    // Bytes received earlier are still queued. `onReadTurn` calls this again.
    this.#hasEnded = this.#flow.isResting
    // A lingering connection closes when the transport has accepted all bytes.
    if (this.#hasEnded || !this.#isReading) return
    // The client can no longer end its requests. Abort them as on HTTP/1.1, except those with a complete response.
    this.#phase = 'ending'
    this.#idleDeadlineMs = Infinity
    this.#streams.abandon(new AbortedError('The client closed the connection'))
    if (this.#streams.size === 0) this.#end()
  }

  onDrain(): void {
    this.#output.onDrain()
    this.sender.pump()
    this.#advance()
    this.#countUnsent()
  }

  onClose(): void {
    this.#phase = 'closed'
    this.deadlines.unwatch(this)
    this.#frames.clear()
    this.#writer.close()
    this.#streams.end(new AbortedError('The connection was closed'))
    this.knownAccount?.close()
    traceClose(this.#transport, 'HTTP/2.0')
    this.#onClosed(this)
  }

  /** Processes received frames until no complete frame is left, or until this turn's share is used up. */
  #advance(): void {
    if (this.#isAdvancing || this.#flow.isResting) return
    this.#isAdvancing = true
    try {
      while (this.#isReading && !this.#isStuck && this.#flow.mayBegin() && this.#frames.next());
    } catch (error) {
      this.#failBy(error)
    }
    if (!this.#frames.hasRest) this.#flow.onEmpty()
    this.#streams.onFramesEnd()
    this.#isAdvancing = false
    this.#throttle()
  }

  get #isReading(): boolean {
    return this.#phase !== 'lingering' && this.#phase !== 'closed'
  }

  /** Whether the client has left too many sent bytes unread. */
  get #isStuck(): boolean {
    return this.#writer.bufferedBytes > MAX_UNSENT_BYTES
  }

  /** Sends GOAWAY without a last stream, so that requests already in transit are served (RFC 9113 §6.8). */
  #announceEnd(): void {
    this.#phase = 'draining'
    this.#writer.goaway(MAX_STREAM_ID, ErrorCode.NO_ERROR)
    this.#writer.ping()
    this.#writer.flushSoon()
    const { drainIdleMs } = this.host.limits
    if (drainIdleMs === 0) this.#leave()
    else this.#setIdleDeadline(drainIdleMs)
  }

  /** Sends the final GOAWAY. The connection ends after the last open stream. */
  #leave(): void {
    if (this.#phase !== 'open' && this.#phase !== 'leaving' && this.#phase !== 'draining') return
    this.#phase = 'ending'
    this.#streams.refuseNew()
    this.#idleDeadlineMs = Infinity
    this.#writer.goaway(this.#streams.lastId, ErrorCode.NO_ERROR)
    this.#writer.flushSoon()
    if (this.#streams.size === 0) this.#end()
  }

  #failBy(error: unknown): void {
    if (!(error instanceof ConnectionError)) throw error
    this.#fail(error)
  }

  /** Ends the connection because of a client error, and reports the error. */
  #fail(error: ConnectionError): void {
    if (!this.#isReading) return
    this.#writer.goaway(this.#streams.lastId, error.code)
    this.#end()
    this.#streams.end(new AbortedError(error.message))
    this.#streams.report(0, error.message, { method: undefined, target: undefined })
  }

  /** Discards received bytes. Closing with unread bytes would reset the socket and lose the last frames. */
  #discard(linger: LingerLimits, bytes: number): void {
    if (!linger.add(bytes)) return this.#transport.destroy()
    this.#idleDeadlineMs = linger.deadlineMs
    // Discarding also delays other connections, so it counts toward the share.
    this.#flow.addBytes(bytes)
  }

  /** Ends the server's direction, then lingers until the client has read the last frames. */
  #end(): void {
    if (!this.#isReading) return
    this.#phase = 'lingering'
    this.#frames.clear()
    const linger = (this.#linger = new LingerLimits(this.host.limits, this.deadlines))
    linger.awaitResponse()
    this.#idleDeadlineMs = linger.deadlineMs
    this.onDeadlineSet(linger.deadlineMs)
    this.#writer.end(() => {
      linger.start()
      this.#idleDeadlineMs = linger.deadlineMs
      this.onDeadlineSet(linger.deadlineMs)
      // The transport emits no `drain` after its end. Notify streams that are still waiting for it.
      if (!this.#transport.isDestroyed) this.sender.pump()
    })
    this.#throttle()
  }

  #setIdleDeadline(afterMs: number): void {
    this.#idleDeadlineMs = this.deadlines.in(afterMs)
    this.onDeadlineSet(this.#idleDeadlineMs)
  }

  /** Pauses reading while the client is not reading its responses. */
  #throttle(): void {
    this.#flow.update(this.#isReading && this.#isStuck)
    if (this.#writer.isBlocked) this.#countUnsent()
  }

  /** Charges the frames buffered for the transport to the account. */
  #countUnsent(): void {
    if (this.#writer.isBlocked) this.account.setTransportBytes(this.#writer.bufferedBytes)
    else this.knownAccount?.setTransportBytes(0)
  }
}
