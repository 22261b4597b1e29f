import { Level, type LogFunction, type Logger } from '@fw/log'
import { fileURLToPath } from 'node:url'
import { getCallSites } from 'node:util'
import type { SourceLocation } from '@fw/types'

/** The properties of a request that its records show. */
export interface LoggedRequest {
  /** The correlation ID; `undefined` without one. */
  readonly id: string | undefined
  /** Fields of every record; `undefined` without any. */
  readonly fields: Readonly<Record<string, unknown>> | undefined
}

const NOTHING: LoggedRequest = { id: undefined, fields: undefined }

/**
 * The logger of one request: `[<correlation id>] [<METHOD> <path>] ` comes before each of its messages.
 *
 * @example
 * ctx.get(RequestLogger)?.info('user {} asked', id)
 */
export class RequestLogger {
  /** Shown by `ctx.local(RequestLogger)` where no access log is in use. */
  static readonly contextHint: string = 'add router.use(accessLog()) before this route'

  readonly #logger: Logger
  readonly #prefix: () => string
  readonly #request: LoggedRequest
  /** Fields of `with`, the oldest first. */
  readonly #added: readonly Readonly<Record<string, unknown>>[]
  #complete: Logger | undefined = undefined

  /**
   * @param prefix Returns the text before each message; called with the first message, and never treated as a format
   * @param request The properties of the request; read with the first message
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

  /** The correlation ID that the request carries or that was generated for it; `undefined` without one. */
  get id(): string | undefined {
    return this.#request.id
  }

  get trace(): LogFunction {
    return this.#logger.isEnabled(Level.Trace) ? this.#forRequest.trace : ignore
  }

  get debug(): LogFunction {
    return this.#logger.isEnabled(Level.Debug) ? this.#forRequest.debug : ignore
  }

  get info(): LogFunction {
    return this.#logger.isEnabled(Level.Info) ? this.#forRequest.info : ignore
  }

  get warn(): LogFunction {
    return this.#logger.isEnabled(Level.Warn) ? this.#forRequest.warn : ignore
  }

  get error(): LogFunction {
    return this.#logger.isEnabled(Level.Error) ? this.#forRequest.error : ignore
  }

  get fatal(): LogFunction {
    return this.#logger.isEnabled(Level.Fatal) ? this.#forRequest.fatal : ignore
  }

  /** Returns a logger of the same request whose records carry these fields as well. */
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

/** This function, the one that asks, and its caller. */
const FRAMES = 3

/** Where the function that asks was called from; `undefined` if no file called it. */
export function callerLocation(): SourceLocation | undefined {
  const frame = getCallSites(FRAMES)[FRAMES - 1]
  if (frame === undefined || frame.scriptName === '' || frame.scriptName.startsWith('node:')) return undefined
  const { scriptName, lineNumber: line, functionName } = frame
  return { file: scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName, line, functionName }
}
