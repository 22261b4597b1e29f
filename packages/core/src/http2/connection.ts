import { BufferAccount, type BufferHolder } from '../engine/budget/buffer-account.ts'
import { AbortedError } from '../engine/errors.ts'
import type { Deadlines, HasDeadline } from '../engine/event-loop/deadlines.ts'
import type { Drainable, EngineHost } from '../engine/engine-host.ts'
import { LingerLimits } from '../engine/socket/linger-limits.ts'
import { ReadFlow, type FlowOwner } from '../engine/socket/read-flow.ts'
import type { Transport, TransportOwner } from '../engine/transport.ts'
import { ConnectionError, ErrorCode } from './errors.ts'
import { FrameReceiver, type FrameOwner } from './frame-receiver.ts'
import { FrameWriter } from './sending/frame-writer.ts'
import { MAX_STREAM_ID } from './frames/frame-types.ts'
import { OutputWatch } from './sending/output-watch.ts'
import { Sender } from './sending/sender.ts'
import { ClientSettings, serverSettings } from './frames/settings.ts'
import { Http2Streams, type StreamsOwner } from './streams.ts'

/** How far a connection has got. */
type Phase =
  | 'open'
  /** The client is told with its next request, or soon if there is none. */
  | 'leaving'
  /** The client was told that the connection will end, and may still have sent requests that it did not know of. */
  | 'draining'
  /** New streams are passed over; those that were opened finish. */
  | 'ending'
  /** Everything was sent; what still arrives is thrown away until the client has seen it. */
  | 'lingering'
  | 'closed'

/** Bytes that wait for the transport, besides content, before nothing more is read of a client that reads nothing. */
const MAX_UNSENT_BYTES = 256 * 1024

export interface Http2ConnectionOptions {
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly onClose: (connection: Http2Connection) => void
}

/**
 * One HTTP/2 connection: owns the transport, reads as far as there are turns, and begins and ends it all.
 *
 * @see RFC 9113 §3.4 (preface), §5.4 (errors), §6.8 (end)
 */
// docs/decisions/0087
export class Http2Connection
  implements Drainable, HasDeadline, TransportOwner, FlowOwner, FrameOwner, StreamsOwner, BufferHolder
{
  readonly host: EngineHost
  readonly deadlines: Deadlines
  readonly sender: Sender
  readonly clientSettings: ClientSettings = new ClientSettings()
  isAcknowledged = false
  knownAccount: BufferAccount | undefined = undefined
  deadlineMs: number
  place = 0
  watchPlace = 0
  readonly #transport: Transport
  readonly #onClosed: (connection: Http2Connection) => void
  readonly #writer: FrameWriter
  readonly #streams: Http2Streams
  readonly #frames: FrameReceiver
  readonly #flow: ReadFlow
  readonly #output: OutputWatch
  #phase: Phase = 'open'
  #isAdvancing = false
  /** Set from the end of our direction on. */
  #linger: LingerLimits | undefined = undefined
  /** Whether the client has said that it sends no more while the connection waited for its turn. */
  #hasEnded = false
  /** When there must be a stream, or the end. */
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
    // RFC 9113 §3.4: the preface of the server, before anything else.
    this.#writer.settings(serverSettings(limits))
    this.#streams = new Http2Streams(this)
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
  get remoteAddress(): string | undefined {
    return this.#transport.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.#transport.remotePort
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
    // Libraries fail what is ready to be sent when GOAWAY comes. Whose request has just come has nothing ready.
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

  /** The client will open no stream any more. */
  onGoaway(code: number): void {
    if (code === ErrorCode.NO_ERROR) this.#leave()
    else this.destroy()
  }

  onDeadline(): void {
    const nowMs = performance.now()
    if (nowMs >= this.#idleDeadlineMs) this.#onIdleTooLong()
    if (nowMs >= this.#frames.deadlineMs) {
      // As on HTTP/1.1: a connection without a request is closed without a response.
      if (!this.#frames.hasBegun) return this.destroy()
      this.#fail(new ConnectionError(ErrorCode.ENHANCE_YOUR_CALM, 'Request head took too long'))
    }
    if (nowMs >= this.#output.deadlineMs && this.#output.isStalled(nowMs)) this.destroy()
    const nextMs = this.#streams.expire(nowMs)
    // What was told of an end may have set another deadline.
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
    // What was received before still has its turn.
    this.#hasEnded = this.#flow.isResting
    // A lingering connection closes as soon as the transport has taken everything.
    if (this.#hasEnded || !this.#isReading) return
    // Streams end by frames: who can send none any more has left, as on HTTP/1.1, but for responses that are on their way.
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
    this.#onClosed(this)
  }

  /** Goes on as far as the received bytes and the turn allow. */
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

  /** Whether the client reads nothing of what it is sent. */
  get #isStuck(): boolean {
    return this.#writer.bufferedBytes > MAX_UNSENT_BYTES
  }

  /** RFC 9113 §6.8: what the client sends before it knows is served, too. */
  #announceEnd(): void {
    this.#phase = 'draining'
    this.#writer.goaway(MAX_STREAM_ID, ErrorCode.NO_ERROR)
    this.#writer.ping()
    this.#writer.flushSoon()
    const { drainIdleMs } = this.host.limits
    if (drainIdleMs === 0) this.#leave()
    else this.#setIdleDeadline(drainIdleMs)
  }

  /** Takes no new stream; the connection ends with the last of those that were opened. */
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

  /** Ends the connection for what the client did. */
  #fail(error: ConnectionError): void {
    if (!this.#isReading) return
    this.#writer.goaway(this.#streams.lastId, error.code)
    this.#end()
    this.#streams.end(new AbortedError(error.message))
    this.#streams.report(0, error.message, { method: undefined, target: undefined })
  }

  /** Discards what the client still sends, so that it gets the last frames instead of a reset. */
  #discard(linger: LingerLimits, bytes: number): void {
    if (!linger.add(bytes)) return this.#transport.destroy()
    this.#idleDeadlineMs = linger.deadlineMs
    // Discarding is also work for which other connections wait.
    this.#flow.addBytes(bytes)
  }

  /** Ends our direction and waits for the client to read it: closing with unread bytes resets the connection. */
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
      // No `drain` follows an end. Responses that waited for the transport have been taken, too.
      if (!this.#transport.isDestroyed) this.sender.pump()
    })
    this.#throttle()
  }

  #setIdleDeadline(afterMs: number): void {
    this.#idleDeadlineMs = this.deadlines.in(afterMs)
    this.onDeadlineSet(this.#idleDeadlineMs)
  }

  /** Stops reading while it must. */
  #throttle(): void {
    this.#flow.update(this.#isReading && this.#isStuck)
    if (this.#writer.isBlocked) this.#countUnsent()
  }

  /** Counts the frames that wait for the client. */
  #countUnsent(): void {
    if (this.#writer.isBlocked) this.account.setTransportBytes(this.#writer.bufferedBytes)
    else this.knownAccount?.setTransportBytes(0)
  }
}
