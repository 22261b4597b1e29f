import { error as logError } from '@fw/log'
import { showType, withCode } from '@fw/options'
import type { Context, ProtocolText } from '@fw/types'
import type { Duplex } from 'node:stream'
import { metrics } from '../metrics.ts'
import type { WebSocketSettings } from '../options.ts'
import type { ServerWebSocket, WebSocketClose, WebSocketMessage } from '../server-web-socket.ts'
import { checkClose } from './close-frame.ts'
import { FrameBudget } from './frame-budget.ts'
import { GatedDuplex, type GateListener } from './gated-duplex.ts'
import { Heartbeats, type HeartbeatTarget } from './heartbeat.ts'
import { MessageQueue } from './message-queue.ts'
import { closeSoon, drainCode, drainReason } from './staggered-close.ts'
import { closeCodeOf, type Compression, createLibrarySocket, type LibrarySocket } from './ws-bridge.ts'

/** `readyState` of a socket that can send. */
const OPEN = 1
const SENT: Promise<boolean> = Promise.resolve(true)
const NOT_SENT: Promise<boolean> = Promise.resolve(false)

/** The result of a handshake. */
export interface Accepted<C extends Context<object>> {
  readonly ctx: C
  readonly settings: WebSocketSettings
  readonly protocol: string
  readonly compression: Compression | undefined
  /** Removes the socket from the counters of the limits. */
  readonly leave: () => void
  readonly drain: DrainState
}

/** Whether the server has begun to close. */
export interface DrainState {
  isClosing: boolean
  /** Called when the server begins to close. */
  onClosing: (() => void) | undefined
}

/** Receives the events of a connection. */
export interface ConnectionConsumer {
  /** Called for each message. The next one waits until the consumer has called `release()`. */
  onMessage(message: WebSocketMessage): void
  /** Called for each error: one that a handler has thrown, or an invalid frame from the client. */
  onError(error: unknown): void
  onClose(close: WebSocketClose): void
}

let openConnections = 0

/** Implements the server's side of a connection with the `ws` library. */
export class Connection<C extends Context<object>> implements ServerWebSocket<C>, GateListener, HeartbeatTarget {
  readonly ctx: C
  readonly transport: ProtocolText
  readonly protocol: string
  readonly closed: Promise<WebSocketClose>
  silentTicks = 0
  readonly #accepted: Accepted<C>
  readonly #socket: LibrarySocket
  readonly #duplex: GatedDuplex
  readonly #budget: FrameBudget
  readonly #openedMs: number = performance.now()
  readonly #resolveClosed: (close: WebSocketClose) => void
  #consumer: ConnectionConsumer | undefined = undefined
  #queue: MessageQueue | undefined = undefined
  #readable: ReadableStream<WebSocketMessage> | undefined = undefined
  #writable: WritableStream<WebSocketMessage> | undefined = undefined
  #aborter: AbortController | undefined = undefined
  #isAborted = false
  /** Sends that wait for room. */
  #waiting: ((isSent: boolean) => void)[] = []
  #idleTimer: NodeJS.Timeout | undefined = undefined
  #cancelDrain: (() => void) | undefined = undefined
  /** Code of the Close frame that this side sent. */
  #sentCode: number | undefined = undefined
  #received = 0
  #sent = 0

  constructor(accepted: Accepted<C>, tunnel: Duplex) {
    const { ctx, settings, protocol, compression } = accepted
    this.ctx = ctx
    this.transport = ctx.protocol
    this.protocol = protocol
    this.#accepted = accepted
    const { promise, resolve } = Promise.withResolvers<WebSocketClose>()
    this.closed = promise
    this.#resolveClosed = resolve
    this.#budget = new FrameBudget(settings.maxFramesPerSecond)
    this.#duplex = new GatedDuplex(tunnel, this)
    const { socket, start } = createLibrarySocket(settings, compression)
    this.#socket = socket
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#onMessage(data, isBinary))
    socket.on('ping', (data: Buffer) => this.#onPing(data))
    socket.on('error', (error: Error) => this.#onInvalidFrame(error))
    socket.on('close', (code: number, reason: Buffer) => this.#onClose(code, reason))
    openConnections++
    if (metrics.open.hasSubscribers) metrics.open.publish({ protocol: this.transport, open: openConnections })
    start(this.#duplex)
    if (settings.heartbeatMs > 0) Heartbeats.of(settings.heartbeatMs).add(this)
    if (settings.idleTimeoutMs > 0) this.#startIdleTimer(settings.idleTimeoutMs)
    accepted.drain.onClosing = () => {
      this.#cancelDrain = closeSoon(() => this.close(drainCode(), drainReason()))
    }
  }

  get isOpen(): boolean {
    return this.#socket.readyState === OPEN
  }

  get isHolding(): boolean {
    return this.#duplex.isHolding
  }

  get bufferedBytes(): number {
    return this.#duplex.unsentBytes + this.#socket.bufferedAmount
  }

  get signal(): AbortSignal {
    if (this.#aborter === undefined) {
      this.#aborter = new AbortController()
      if (this.#isAborted) this.#aborter.abort(disconnected())
    }
    return this.#aborter.signal
  }

  get readable(): ReadableStream<WebSocketMessage> {
    return (this.#readable ??= ReadableStream.from(this))
  }

  get writable(): WritableStream<WebSocketMessage> {
    return (this.#writable ??= new WritableStream<WebSocketMessage>({
      write: async (message) => {
        if (!(await this.send(message))) throw disconnected()
      },
      close: () => this[Symbol.asyncDispose](),
      abort: () => this.close(1011),
    }))
  }

  send(data: WebSocketMessage): Promise<boolean> {
    if (typeof data !== 'string' && !(data instanceof Uint8Array)) throw notAMessage(data)
    if (!this.isOpen || this.#refusesToSend()) return NOT_SENT
    this.#sent++
    const options = { binary: typeof data !== 'string' }
    if (this.#accepted.compression !== undefined) return this.#sendCompressed(data, options)
    this.#socket.send(data, options)
    return this.#duplex.isFull ? this.#room() : SENT
  }

  close(code: number = 1000, reason: string = ''): void {
    checkClose(code, reason)
    this.#sendClose(code, reason)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<WebSocketMessage> {
    return (this.#queue ??= this.#startQueue())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close()
    await this.closed
  }

  /** Passes messages to `consumer` instead of a loop. */
  consume(consumer: ConnectionConsumer): void {
    this.#consumer = consumer
  }

  /** Lets the next message pass. */
  release(): void {
    this.#duplex.release()
  }

  /** Reports an error that a handler has thrown, and closes the connection. The client does not learn the message. */
  fail(handler: string, thrown: unknown): void {
    const { logger } = this.#accepted.settings
    const { method, path } = this.ctx
    if (logger === undefined) logError('WebSocket {} {}: the {} handler threw: {}', method, path, handler, thrown)
    else logger.error('WebSocket {} {}: the {} handler threw: {}', method, path, handler, thrown)
    this.#sendClose(1011, '')
    if (handler !== 'error') this.#consumer?.onError(thrown)
  }

  onReceived(): void {
    this.silentTicks = 0
  }

  onFrame(isControl: boolean): boolean {
    if (this.#budget.spend(isControl)) return true
    this.#sendClose(1008, 'too many frames')
    // The client may continue to send, so do not wait for its Close frame.
    this.#duplex.end()
    return false
  }

  onEndWhileHeld(): void {
    this.#abort()
  }

  onRoom(): void {
    for (const resolve of this.#waiting.splice(0)) resolve(this.isOpen)
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping()
  }

  onDead(): void {
    this.terminate()
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    // After a Close frame, the application receives no more messages.
    if (!this.isOpen) return
    this.#received++
    this.#idleTimer?.refresh()
    const message = isBinary ? ownBytes(data) : data.toString()
    if (this.#consumer === undefined) this.#queue?.add(message)
    else this.#consumer.onMessage(message)
  }

  #onPing(data: Buffer): void {
    // RFC 6455 §5.5.3: skip pongs for a client that does not read them, or they would fill memory.
    if (this.isOpen && this.bufferedBytes <= this.#accepted.settings.maxBufferedBytes) this.#socket.pong(data)
  }

  #onInvalidFrame(error: Error): void {
    this.#sentCode ??= closeCodeOf(error)
    this.#duplex.discard()
    this.#consumer?.onError(error)
  }

  #onClose(code: number, reason: Buffer): void {
    const { settings, leave } = this.#accepted
    const hasReceived = code !== 1006
    // `ws` responds to the client's Close frame, so both sides have sent one.
    const close = { code: hasReceived ? code : (this.#sentCode ?? 1006), reason: reason.toString(), clean: hasReceived }
    if (settings.heartbeatMs > 0) Heartbeats.of(settings.heartbeatMs).remove(this)
    clearTimeout(this.#idleTimer)
    this.#cancelDrain?.()
    leave()
    openConnections--
    if (metrics.close.hasSubscribers) {
      const durationMs = performance.now() - this.#openedMs
      const { code: closeCode, clean } = close
      const counts = { received: this.#received, sent: this.#sent, open: openConnections }
      metrics.close.publish({ code: closeCode, clean, durationMs, ...counts })
    }
    this.#abort()
    this.#queue?.close()
    this.onRoom()
    this.#consumer?.onClose(close)
    this.#resolveClosed(close)
  }

  #sendClose(code: number, reason: string): void {
    if (!this.isOpen) return
    this.#sentCode = code
    this.#socket.close(code, reason)
    this.#duplex.ungate()
  }

  /** Applies `slowConsumer` to a client that has too many unread bytes. */
  #refusesToSend(): boolean {
    const { maxBufferedBytes, slowConsumer } = this.#accepted.settings
    if (slowConsumer === 'wait' || this.bufferedBytes <= maxBufferedBytes) return false
    if (metrics.drop.hasSubscribers) metrics.drop.publish({ bufferedBytes: this.bufferedBytes })
    if (slowConsumer === 'close') this.#sendClose(1013, 'the client reads too slowly')
    return true
  }

  #sendCompressed(data: WebSocketMessage, options: { readonly binary: boolean }): Promise<boolean> {
    return new Promise((resolve) => {
      this.#socket.send(data, options, (error) => {
        if (error) resolve(false)
        else resolve(this.#duplex.isFull ? this.#room() : true)
      })
    })
  }

  /** Resolves to true when the transport has accepted all bytes, or to false when the connection has closed. */
  #room(): Promise<boolean> {
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  #startQueue(): MessageQueue {
    const queue = new MessageQueue(
      () => this.release(),
      () => this.close(),
    )
    if (this.#isClosed) queue.close()
    return queue
  }

  get #isClosed(): boolean {
    return this.#socket.readyState > OPEN + 1
  }

  #startIdleTimer(idleTimeoutMs: number): void {
    this.#idleTimer = setTimeout(() => this.#sendClose(1001, 'idle'), idleTimeoutMs).unref()
  }

  #abort(): void {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#aborter?.abort(disconnected())
  }
}

function disconnected(): Error {
  return withCode('FW_ABORTED', Object.assign(new Error('The WebSocket is closed'), { name: 'AbortError' }))
}

function notAMessage(data: unknown): TypeError {
  const fix = 'Use JSON.stringify(value) for other values.'
  return withCode(
    'FW_INVALID_MESSAGE',
    new TypeError(`socket.send: data must be a string or a Uint8Array, got ${showType(data)}. ${fix}`),
  )
}

/** Returns bytes in their own buffer. The library passes a view into the buffer of a read, which can contain other data. */
function ownBytes(bytes: Buffer): Uint8Array {
  const isOwn = bytes.byteLength === bytes.buffer.byteLength
  return isOwn ? new Uint8Array(bytes.buffer) : new Uint8Array(bytes)
}
