import { Level, type LogFunction, type Logger } from '@fw/log'
import { fileURLToPath } from 'node:url'
import util from 'node:util'
import type { SourceLocation } from '@fw/types'

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
  #prefixed: Logger | undefined = undefined

  /** @param prefix Made with the first message that is let through; never taken for a format */
  constructor(logger: Logger, prefix: () => string) {
    this.#logger = logger
    this.#prefix = prefix
  }

  get trace(): LogFunction {
    return this.#logger.isEnabled(Level.Trace) ? this.#withPrefix.trace : ignore
  }

  get debug(): LogFunction {
    return this.#logger.isEnabled(Level.Debug) ? this.#withPrefix.debug : ignore
  }

  get info(): LogFunction {
    return this.#logger.isEnabled(Level.Info) ? this.#withPrefix.info : ignore
  }

  get warn(): LogFunction {
    return this.#logger.isEnabled(Level.Warn) ? this.#withPrefix.warn : ignore
  }

  get error(): LogFunction {
    return this.#logger.isEnabled(Level.Error) ? this.#withPrefix.error : ignore
  }

  get fatal(): LogFunction {
    return this.#logger.isEnabled(Level.Fatal) ? this.#withPrefix.fatal : ignore
  }

  /** A logger of the same request whose records carry these fields too. */
  with(fields: Readonly<Record<string, unknown>>): RequestLogger {
    return new RequestLogger(this.#logger.with(fields), this.#prefix)
  }

  get #withPrefix(): Logger {
    return (this.#prefixed ??= this.#logger.withPrefix(this.#prefix()))
  }
}

function ignore(): void {}

/** This function, the one that asks, and its caller. */
const FRAMES = 3

/** Where the function that asks was called from; `undefined` if no file called it. */
export function callerLocation(): SourceLocation | undefined {
  const frame = util.getCallSites(FRAMES)[FRAMES - 1]
  if (frame === undefined || frame.scriptName === '' || frame.scriptName.startsWith('node:')) return undefined
  const { scriptName, lineNumber: line, functionName } = frame
  return { file: scriptName.startsWith('file:') ? fileURLToPath(scriptName) : scriptName, line, functionName }
}
