import { inspect } from 'node:util'
import type { LogRecord, Sink, SourceLocation } from '@fw/types'
import { guardExit, releaseExit } from './async/exit-guard.ts'
import type { QueueSettings } from './async/queued-writer.ts'
import { FailureReport } from './failure-report.ts'
import { Level } from './level.ts'
import { PlainCall } from './lines/plain-call.ts'

/** A sink, and what it may say beside the contract. One whose `write` returns false says that it dropped the record. */
export type LogSink = Sink & {
  /** False if the sink never reads `location`; when none does, finding it is saved. */
  readonly usesLocation?: boolean
  /** Records taken and not yet written. */
  readonly queued?: number
  /**
   * Called by a logger in asynchronous mode, if the sink has it: from now on lines go through a writer thread. Without
   * settings they are written at once again. A sink without it gets its records on the caller's thread in both modes.
   */
  useQueue?(settings: QueueSettings | undefined): void
  /** Called instead of `write`, where all sinks have it, with calls that need no record. */
  readonly writeCall?: ((call: PlainCall) => boolean) | undefined
}

/** Counters since the logger was made. */
export interface LogStats {
  /** Records that at least one sink took. */
  readonly written: number
  /** Records that a sink dropped, as its queue was full, and those not passed on as they were made inside a sink. */
  readonly dropped: number
  /** Records in the queues of asynchronous mode. */
  readonly queued: number
  /** Times the sinks were flushed, after Error and Fatal records included. */
  readonly flushes: number
  /** Writes and flushes that a sink failed. */
  readonly sinkErrors: number
}

/** Gives each record to every sink that wants it. A failing sink is counted and reported, and stops no other. */
export class FanOut {
  readonly #report: FailureReport
  #makeDefaults: (() => readonly LogSink[]) | undefined
  #sinks: readonly LogSink[] = []
  #queueSettings: Omit<QueueSettings, 'onFailure'> | undefined
  #usesLocation = true
  #takesCalls = false
  #delivering = false
  readonly #call = new PlainCall()
  /** Sinks of the application's own may hold records too. */
  readonly #atExit = { flush: () => this.flushNow(), writeThrough() {} }
  #written = 0
  #dropped = 0
  #flushes = 0
  #sinkErrors = 0

  /** @param makeDefaults Called when sinks are first needed and none were set */
  constructor(makeDefaults: () => readonly LogSink[], report: FailureReport = new FailureReport()) {
    this.#makeDefaults = makeDefaults
    this.#report = report
  }

  get stats(): LogStats {
    const queued = this.#sinks.reduce((sum, sink) => sum + (sink.queued ?? 0), 0)
    const [written, dropped, flushes, sinkErrors] = [this.#written, this.#dropped, this.#flushes, this.#sinkErrors]
    return { written, dropped, queued, flushes, sinkErrors }
  }

  /** Whether a sink reads the location of records. */
  get usesLocation(): boolean {
    this.#prepare()
    return this.#usesLocation
  }

  /** Whether `deliver` may be given calls. Holds once `usesLocation` was asked. */
  get takesCalls(): boolean {
    return this.#takesCalls
  }

  /** Adds a sink; adding it again has no effect. @throws {TypeError} if it is no sink */
  add(sink: LogSink): void {
    checkSink(sink)
    this.#prepare()
    this.#use([...this.#sinks.filter((present) => present !== sink), sink])
  }

  /** Flushes the present sinks and goes on with these. @throws {TypeError} if one is no sink */
  set(sinks: readonly LogSink[]): void {
    if (!Array.isArray(sinks)) throw new TypeError('Cannot set log sinks: they must be given as an array')
    sinks.forEach(checkSink)
    if (this.#sinks.length > 0) this.flushNow()
    this.#makeDefaults = undefined
    this.#use([...new Set(sinks)])
  }

  deliver(record: LogRecord): void {
    // A sink that logs would call itself without end.
    if (this.#delivering) {
      this.#dropped++
      return
    }
    this.#prepare()
    this.#delivering = true
    try {
      let taken = false
      for (const sink of this.#sinks) taken = this.#write(sink, record) || taken
      if (taken) this.#written++
      if (record.level >= Level.Error) this.flushNow()
    } finally {
      this.#delivering = false
    }
  }

  /** As `deliver`, for a call that needs no record. Only where `takesCalls`. @param args Such as `PlainCall` takes */
  deliverCall(
    level: Level,
    location: SourceLocation | undefined,
    prefix: string,
    format: string,
    args: readonly unknown[],
  ): void {
    const call = this.#call
    call.renew(level, location, prefix, format, args)
    let taken = false
    for (const sink of this.#sinks) taken = this.#writeCall(sink, call) || taken
    if (taken) this.#written++
    if (level >= Level.Error) this.flushNow()
  }

  /** Flushes every sink; those that flush asynchronously have only begun when this returns. */
  flushNow(): void {
    void this.flush()
  }

  /** Flushes every sink. Never rejects. */
  async flush(): Promise<void> {
    this.#flushes++
    const flushes = this.#sinks.map((sink) => this.#attempt(sink, () => sink.flush()))
    await Promise.all(flushes)
  }

  #prepare(): void {
    if (this.#makeDefaults === undefined) return
    const makeDefaults = this.#makeDefaults
    this.#makeDefaults = undefined
    this.#use(makeDefaults())
  }

  /** Lines of sinks that can go through a queue do so from now on, or no longer. */
  useQueue(settings: Omit<QueueSettings, 'onFailure'> | undefined): void {
    if (settings === undefined && this.#queueSettings === undefined) return
    this.#prepare()
    this.#queueSettings = settings
    for (const sink of this.#sinks) this.#connect(sink, settings)
    if (settings === undefined) releaseExit(this.#atExit)
    else guardExit(this.#atExit)
  }

  #connect(sink: LogSink, settings: Omit<QueueSettings, 'onFailure'> | undefined): void {
    try {
      sink.useQueue?.(settings && { ...settings, onFailure: (error) => this.#failed(sink, error) })
    } catch (error) {
      this.#failed(sink, error)
    }
  }

  #use(sinks: readonly LogSink[]): void {
    if (this.#queueSettings !== undefined) {
      for (const sink of this.#sinks) if (!sinks.includes(sink)) this.#connect(sink, undefined)
      for (const sink of sinks) if (!this.#sinks.includes(sink)) this.#connect(sink, this.#queueSettings)
    }
    this.#sinks = sinks
    this.#usesLocation = sinks.some((sink) => sink.usesLocation !== false)
    this.#takesCalls = sinks.every((sink) => sink.writeCall !== undefined)
  }

  /** @returns Whether the sink took the record */
  #write(sink: LogSink, record: LogRecord): boolean {
    try {
      if (sink.level !== undefined && record.level < sink.level) return false
      // `write` returns nothing by contract, but an async function passes the compiler, and its rejection would be fatal.
      const result: unknown = sink.write(record)
      if (result === false) {
        this.#dropped++
        return false
      }
      if (result instanceof Promise) result.catch((error: unknown) => this.#failed(sink, error))
      return true
    } catch (error) {
      this.#failed(sink, error)
      return false
    }
  }

  /** @returns Whether the sink took the call */
  #writeCall(sink: LogSink, call: PlainCall): boolean {
    try {
      if (sink.level !== undefined && call.level < sink.level) return false
      if (sink.writeCall?.(call) === true) return true
      this.#dropped++
    } catch (error) {
      this.#failed(sink, error)
    }
    return false
  }

  async #attempt(sink: LogSink, action: () => void | Promise<void>): Promise<void> {
    try {
      await action()
    } catch (error) {
      this.#failed(sink, error)
    }
  }

  #failed(sink: LogSink, error: unknown): void {
    this.#sinkErrors++
    this.#report.add(sink, error)
  }
}

function checkSink(sink: unknown): void {
  for (const method of ['write', 'flush', 'close'] as const) {
    if (typeof (sink as Partial<Sink> | null | undefined)?.[method] !== 'function') {
      throw new TypeError(`Cannot use ${inspect(sink, { depth: -1 })} as a log sink: it has no method ${method}()`)
    }
  }
}
