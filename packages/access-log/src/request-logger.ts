import { Level, type LogFunction, type Logger } from '@fw/log'

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
