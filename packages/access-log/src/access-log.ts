import { withCode } from '@fw/options'
import type { Context, ContextKey, Middleware, Next, Outcome } from '@fw/types'
import { callerLocation, type LoggedRequest, RequestLogger } from './request-logger.ts'
import { checkConfig } from './config/check-config.ts'
import type { AccessLogConfig } from './config/config.ts'
import { entriesLogger } from './entries-logger.ts'
import { ContextEntry } from './capture/context-entry.ts'
import { requestIdOf } from './entry/request-id.ts'
import { traceContextOf } from './entry/trace-context.ts'
import { entryLevel, isKept } from './capture/entry-level.ts'
import { customText, entryText } from './formats/entry-text.ts'
import { entryFields } from './formats/fields.ts'
import { escapeWordInBrackets } from './formats/escape.ts'
import { isForgottenPromise, throttledWarning } from './throttled-warning.ts'
import { refusalListener } from './refused-request.ts'
import { routeSettings } from './config/route-option.ts'
import { compile, type Settings } from './config/settings.ts'

/** The entry for a request in progress, with the settings of the innermost `accessLog`. */
const PENDING_ENTRY: ContextKey<ContextEntry> = { name: 'pending access log entry', hint: undefined }

const warnOfSkipIf = throttledWarning('skipIf of accessLog threw')

/**
 * Creates middleware that logs one entry when a request has ended, and provides a `RequestLogger`.
 *
 * On the root router, it logs every request, including requests without a route and those that the protocol engine refuses. On
 * a group, it replaces the outer access log. Sinks that show locations show this call.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * router.use(accessLog({ format: AccessLogFormat.Json, skipPaths: ['/healthz'], slowThreshold: 500_000_000 }))
 */
export function accessLog(config: AccessLogConfig = {}): Middleware {
  const location = callerLocation()
  checkConfig(config)
  const ofMiddleware = compile(config, entriesLogger(config).withLocation(location))
  const ofRoute = routeSettings(config, ofMiddleware)
  const middleware = (ctx: Context, next: Next): void => {
    const settings = ofRoute(ctx.route)
    const outer = ctx.get(PENDING_ENTRY)
    if (outer !== null) outer.settings = settings
    else if (settings.skipPaths.size === 0 || !settings.skipPaths.has(ctx.path)) expectEntry(ctx, settings)
    ctx.provide(RequestLogger, () => requestLoggerOf(ctx, settings))
    // Do not await this call: the caller is already waiting for `next`, and another promise would only add cost.
    void next()
  }
  return Object.assign(middleware, { refused: refusalListener(ofMiddleware) })
}

function expectEntry(ctx: Context, settings: Settings): void {
  const entry = new ContextEntry(ctx, settings)
  ctx.set(PENDING_ENTRY, entry)
  ctx.onFinish((outcome) => logFinished(entry, outcome))
}

function logFinished(entry: ContextEntry, outcome: Outcome): void {
  const { ctx, settings } = entry
  const { skipPaths, entries } = settings
  if (skipPaths.size > 0 && skipPaths.has(ctx.path)) return
  entry.end(outcome)
  const level = entryLevel(entry, settings)
  if (!entries.isEnabled(level) || !isKept(entry, settings) || isSkipped(ctx, settings)) return
  const custom = customText(ctx, entry, settings)
  if (custom === undefined) entries.logData(level, entryText(entry, settings), () => entryFields(entry, settings))
  // Without arguments, the text is never treated as a format.
  else entries.log(level, custom)
}

function isSkipped(ctx: Context, { skipIf }: Settings): boolean {
  if (skipIf === undefined) return false
  try {
    const response: unknown = skipIf(ctx)
    if (isForgottenPromise(response))
      throw withCode(
        'FW_INVALID_RETURN',
        new TypeError('accessLog: skipIf must return a boolean, got a promise. Make it synchronous.'),
      )
    return Boolean(response)
  } catch (error) {
    warnOfSkipIf(error)
    return false
  }
}

function requestLoggerOf(ctx: Context, settings: Settings): RequestLogger {
  return new RequestLogger(settings.logger, () => prefixOf(ctx, settings), new ContextRequest(ctx, settings))
}

/** Reads the ID and the fields of a request on first access. */
class ContextRequest implements LoggedRequest {
  readonly #ctx: Context
  readonly #settings: Settings

  constructor(ctx: Context, settings: Settings) {
    this.#ctx = ctx
    this.#settings = settings
  }

  get id(): string | undefined {
    return requestIdOf(this.#ctx, this.#settings)
  }

  get fields(): Readonly<Record<string, unknown>> | undefined {
    const { id } = this
    const trace = this.#settings.logTraceContext ? traceContextOf(this.#ctx.headers) : undefined
    if (id === undefined && trace === undefined) return undefined
    return {
      ...(id === undefined ? {} : { correlation_id: id }),
      ...(trace === undefined ? {} : { trace_id: trace.traceId, parent_id: trace.parentId }),
    }
  }
}

/** Returns `[<correlation id>] [<METHOD> <path>] `; omits the first part if the request has no ID. */
function prefixOf(ctx: Context, settings: Settings): string {
  const id = requestIdOf(ctx, settings)
  return `${id === undefined ? '' : `[${id}] `}[${escapeWordInBrackets(ctx.method)} ${escapeWordInBrackets(ctx.path)}] `
}
