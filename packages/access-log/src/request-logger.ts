import { Level, type LogFunction, type Logger } from '@fw/log'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import type { SourceLocation } from '@fw/types'

/** Request properties that log records show. */
export interface LoggedRequest {
  /** The correlation ID; `undefined` if there is none. */
  readonly id: string | undefined
  /** Fields of every record; `undefined` if there are none. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
}

const NOTHING: LoggedRequest = { id: undefined, fields: undefined }

/**
 * The logger of one request. Each message begins with `[<correlation id>] [<METHOD> <path>] `.
 *
 * @example
 * ctx.get(RequestLogger)?.info('user {} asked', id)
 */
export class RequestLogger {
  /** The hint in the error that `ctx.local(RequestLogger)` throws without an access log. */
  static readonly contextHint: string = 'add router.use(accessLog()) before this route'

  readonly #logger: Logger
  readonly #prefix: () => string
  readonly #request: LoggedRequest
  /** Fields from `with` calls, the oldest first. */
  readonly #added: readonly Readonly<Record<string, unknown>>[]
  #complete: Logger | undefined = undefined

  /**
   * Creates the logger of one request.
   *
   * @param prefix Returns the text before each message. Called for the first message; the text is never treated as a format
   * @param request The properties of the request; read for the first message
   */
  constructor(
    logger: Logger,
    prefix: () => string,
    request: LoggedRequest = NOTHING,
    added: readonly Readonly<Record<string, unknown>>[] = [],
  ) {
    this.#logger = logger
    this.#prefix = prefix
    this.#request = request
    this.#added = added
  }

  /** The correlation ID, received with the request or generated for it; `undefined` if there is none. */
  get id(): string | undefined {
    return this.#request.id
  }

  /** Logs at level Trace. */
  get trace(): LogFunction {
    return this.#logger.isEnabled(Level.Trace) ? this.#forRequest.trace : ignore
  }

  /** Logs at level Debug. */
  get debug(): LogFunction {
    return this.#logger.isEnabled(Level.Debug) ? this.#forRequest.debug : ignore
  }

  /** Logs at level Info. */
  get info(): LogFunction {
    return this.#logger.isEnabled(Level.Info) ? this.#forRequest.info : ignore
  }

  /** Logs at level Warn. */
  get warn(): LogFunction {
    return this.#logger.isEnabled(Level.Warn) ? this.#forRequest.warn : ignore
  }

  /** Logs at level Error. */
  get error(): LogFunction {
    return this.#logger.isEnabled(Level.Error) ? this.#forRequest.error : ignore
  }

  /** Logs at level Fatal. Does not end the process. */
  get fatal(): LogFunction {
    return this.#logger.isEnabled(Level.Fatal) ? this.#forRequest.fatal : ignore
  }

  /** Returns a logger for the same request whose records also carry these fields. */
  with(fields: Readonly<Record<string, unknown>>): RequestLogger {
    return new RequestLogger(this.#logger, this.#prefix, this.#request, [...this.#added, fields])
  }

  get #forRequest(): Logger {
    return (this.#complete ??= this.#makeComplete())
  }

  #makeComplete(): Logger {
    const { fields } = this.#request
    const base = fields === undefined ? this.#logger : this.#logger.with(fields)
    return this.#added.reduce((logger, added) => logger.with(added), base).withPrefix(this.#prefix())
  }
}

function ignore(): void {}

/** The frames of this function, its caller, and that caller's caller. */
const FRAMES = 3

/** Returns the location from which the calling function was called; `undefined` if it is not in a file. */
export function callerLocation(): SourceLocation | undefined {
  const frame = util.getCallSites(FRAMES)[FRAMES - 1]
  if (frame === undefined || frame.scriptName === '' || frame.scriptName.startsWith('node:')) return undefined
  const { scriptName, lineNumber: line, functionName } = frame
  return { file: scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName, line, functionName }
}
