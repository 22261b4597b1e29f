import { basename } from 'node:path'
import { Level, levelName, type LogRecord, type LogSink, type Sink } from '@fw/log'
import type { CurrentRequest } from './observed.ts'
import type { HandlerSources } from './handler-sources.ts'

/** A log sink that adds each record to the request that caused it. */
export class LogLines implements Sink {
  readonly #current: CurrentRequest
  readonly #sources: HandlerSources
  readonly #hasErrors: boolean

  /** @param hasErrors Whether to add errors from the library, whose text can concern other visitors */
  constructor(current: CurrentRequest, sources: HandlerSources, hasErrors: boolean) {
    this.#hasErrors = hasErrors
    this.#current = current
    this.#sources = sources
  }

  write({ level, message, location, fields }: LogRecord): void {
    // The library can log in the context of an unrelated request, for example from a timer that the request started. Only a
    // handler's error certainly belongs to its request.
    if (fields?.['component'] === '@fw/core' && (level !== Level.Error || !this.#hasErrors)) return
    const isEntry = this.#current.finishing !== undefined
    const place = location === undefined ? '' : `${basename(location.file)}:${location.line}`
    const protocol = this.#current.get()?.trace.context.protocol ?? ''
    this.#current.addLine({
      level: levelName(level).toLowerCase(),
      text: withoutPrefix(message),
      where: isEntry ? protocol : place,
      sourceLine: isEntry ? undefined : this.#sources.lineOf(location),
    })
  }

  flush(): void {}
  close(): void {}
}

/** Maximum number of characters of a log message in the feed. */
const MAX_TEXT = 300

/** Removes `[GET /path] `, which the page shows above the lines. */
function withoutPrefix(message: string): string {
  return message.replace(/^\[[A-Z]+ [^\]]*\] /, '').slice(0, MAX_TEXT)
}

/**
 * Returns a sink that omits records about requests that the demo sends to itself, because these would hide all other
 * records.
 */
export function withoutDemoTraffic(sink: LogSink, current: CurrentRequest): Sink {
  return {
    write(record) {
      const by = current.get()?.by
      if (by === 'demo' || by === 'race') return true
      return sink.write(record)
    },
    flush: () => sink.flush(),
    close: () => sink.close(),
  }
}
