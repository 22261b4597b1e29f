import { showValue, withCode } from '@fw/options'
import type { LogRecord, SourceLocation } from '@fw/types'
import { guardExit, releaseExit } from './async/exit-guard.ts'
import type { QueueSettings } from './async/queued-writer.ts'
import { FailureReport } from './failure-report.ts'
import { Level } from './level.ts'
import { PlainCall } from './lines/plain-call.ts'
import { fixSink, sinkAbilities, sinkKind, type LogSink, type SinkAbilities } from './sinks/log-sink.ts'

/** A sink with the abilities that it had when it was added. */
interface Target {
  readonly sink: LogSink
  readonly abilities: SinkAbilities
}

const NO_ABILITIES: SinkAbilities = {}

/** Counters since the logger was created. */
export interface LogStats {
  /** The number of records that at least one sink accepted. */
  readonly written: number
  /** The number of records that a sink dropped because its queue was full, or that a sink logged in `write`. */
  readonly dropped: number
  /** The number of records in the queues of asynchronous mode. */
  readonly queued: number
  /** The number of flushes, including those after Error and Fatal records. */
  readonly flushes: number
  /** The number of failed writes and flushes. */
  readonly sinkErrors: number
}

/**
 * Passes each record to every sink that accepts its level. If a sink fails, counts and reports the failure and continues with
 * the others.
 */
export class FanOut {
  readonly #report: FailureReport
  #makeDefaults: (() => readonly LogSink[]) | undefined
  #targets: readonly Target[] = []
  #queueSettings: Omit<QueueSettings, 'onFailure'> | undefined
  #usesLocation = true
  #takesCalls = false
  #delivering = false
  readonly #call = new PlainCall()
  /** Flushes at exit, because the application's sinks can buffer records. */
  readonly #atExit = { flush: () => this.flushNow(), writeThrough() {} }
  #written = 0
  #dropped = 0
  #flushes = 0
  #sinkErrors = 0

  /**
   * @param makeDefaults Creates the default sinks for the first record, unless sinks were set
   */
  constructor(makeDefaults: () => readonly LogSink[], report: FailureReport = new FailureReport()) {
    this.#makeDefaults = makeDefaults
    this.#report = report
  }

  get stats(): LogStats {
    const queued = this.#targets.reduce((sum, { abilities }) => sum + (abilities.queued?.() ?? 0), 0)
    const [written, dropped, flushes, sinkErrors] = [this.#written, this.#dropped, this.#flushes, this.#sinkErrors]
    return { written, dropped, queued, flushes, sinkErrors }
  }

  /** Reports whether a sink reads the location of records. */
  get usesLocation(): boolean {
    this.#prepare()
    return this.#usesLocation
  }

  /** Reports whether `deliverCall` can be used. Valid after an access to `usesLocation`, which creates the sinks. */
  get takesCalls(): boolean {
    return this.#takesCalls
  }

  /** Adds a sink. Adding it again has no effect. @throws {TypeError} if the argument is not a sink */
  add(sink: LogSink): void {
    checkSink('addSink', 'sink', sink)
    this.#prepare()
    const others = this.#targets.filter((target) => target.sink !== sink)
    this.#use([...others.map((target) => target.sink), sink])
  }

  /** Flushes the current sinks and replaces them. @throws {TypeError} if one is not a sink */
  set(sinks: readonly LogSink[]): void {
    if (!Array.isArray(sinks)) {
      throw withCode(
        'FW_INVALID_ARGUMENT',
        new TypeError(`setSinks: sinks must be an array of sinks, got ${showValue(sinks)}. Write setSinks([sink]).`),
      )
    }
    for (const [at, sink] of sinks.entries()) checkSink('setSinks', `sinks[${at}]`, sink)
    if (this.#targets.length > 0) this.flushNow()
    this.#makeDefaults = undefined
    this.#use([...new Set(sinks)])
  }

  deliver(record: LogRecord): void {
    // A sink that logs in `write` would recurse forever.
    if (this.#delivering) {
      this.#dropped++
      return
    }
    this.#prepare()
    this.#delivering = true
    try {
      let taken = false
      for (const target of this.#targets) taken = this.#write(target.sink, record) || taken
      if (taken) this.#written++
      if (record.level >= Level.Error) this.flushNow()
    } finally {
      this.#delivering = false
    }
  }

  /** Delivers a call without a record, if `takesCalls`. @param args Strings and numbers only */
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
    for (const target of this.#targets) taken = this.#writeCall(target, call) || taken
    if (taken) this.#written++
    if (level >= Level.Error) this.flushNow()
  }

  /** Flushes every sink. When this returns, asynchronous flushes may still be in progress. */
  flushNow(): void {
    void this.flush()
  }

  /** Flushes every sink. Never rejects. */
  async flush(): Promise<void> {
    this.#flushes++
    const flushes = this.#targets.map(({ sink }) => this.#attempt(sink, () => sink.flush()))
    await Promise.all(flushes)
  }

  #prepare(): void {
    if (this.#makeDefaults === undefined) return
    const makeDefaults = this.#makeDefaults
    this.#makeDefaults = undefined
    this.#use(makeDefaults())
  }

  /** Starts the queue of every sink that supports one, or ends the queues if `settings` is `undefined`. */
  useQueue(settings: Omit<QueueSettings, 'onFailure'> | undefined): void {
    if (settings === undefined && this.#queueSettings === undefined) return
    this.#prepare()
    this.#queueSettings = settings
    for (const target of this.#targets) this.#connect(target, settings)
    if (settings === undefined) releaseExit(this.#atExit)
    else guardExit(this.#atExit)
  }

  #connect({ sink, abilities }: Target, settings: Omit<QueueSettings, 'onFailure'> | undefined): void {
    try {
      abilities.useQueue?.(settings && { ...settings, onFailure: (error) => this.#failed(sink, error) })
    } catch (error) {
      this.#failed(sink, error)
    }
  }

  #use(sinks: readonly LogSink[]): void {
    const previous = this.#targets
    const targets = sinks.map((sink) => previous.find((target) => target.sink === sink) ?? targetOf(sink))
    if (this.#queueSettings !== undefined) {
      for (const target of previous) if (!targets.includes(target)) this.#connect(target, undefined)
      for (const target of targets) if (!previous.includes(target)) this.#connect(target, this.#queueSettings)
    }
    this.#targets = targets
    this.#usesLocation = targets.some(({ abilities }) => abilities.usesLocation !== false)
    this.#takesCalls = targets.every(({ abilities }) => abilities.writeCall !== undefined)
  }

  /** @returns Whether the sink accepted the record */
  #write(sink: LogSink, record: LogRecord): boolean {
    try {
      if (sink.level !== undefined && record.level < sink.level) return false
      // A sink in JavaScript can have an async `write`, whose rejection would end the process.
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

  /** @returns Whether the sink accepted the call */
  #writeCall({ sink, abilities }: Target, call: PlainCall): boolean {
    try {
      if (sink.level !== undefined && call.level < sink.level) return false
      if (abilities.writeCall?.(call) === true) return true
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

function targetOf(sink: LogSink): Target {
  return { sink, abilities: sink[sinkAbilities] ?? NO_ABILITIES }
}

/**
 * @param what The argument as the error message names it
 */
function checkSink(api: string, what: string, sink: unknown): void {
  if (sinkKind.accepts(sink)) return
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(`${api}: ${what} must be ${sinkKind.expected}, got ${showValue(sink)}. ${fixSink(sink)}`),
  )
}
