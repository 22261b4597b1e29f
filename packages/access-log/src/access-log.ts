import { logger } from '@fw/log'
import type { Context, ContextKey, Middleware, Next, Outcome, Refusal } from '@fw/types'
import type { AccessLogConfig } from './config.ts'
import { correlationId } from './correlation-id.ts'
import { entryLevel } from './entry-level.ts'
import { entryText } from './entry-text.ts'
import { escapeWordInBrackets } from './escape.ts'
import { contextEntry, endingOf, refusedEnding, refusedEntry } from './finished-request.ts'
import { RequestLogger } from './request-logger.ts'
import { compile, type Settings } from './settings.ts'
import { throttledWarning } from './throttled-warning.ts'

/** The entry that a request will have; the innermost `accessLog` decides over it. */
interface PendingEntry {
  settings: Settings
}

const PENDING_ENTRY: ContextKey<PendingEntry> = { name: 'pending access log entry', hint: undefined }

const warnOfSkipIf = throttledWarning('skipIf of accessLog threw')

/**
 * Makes middleware that logs one entry for each request when it is over, and provides a `RequestLogger`.
 *
 * Used on the root router it sees every request, also those that no route answers or the protocol engine refuses. On a
 * group it replaces the one further out.
 *
 * @throws {TypeError | RangeError} naming the option that does not exist or has a value it cannot have
 *
 * @example
 * router.use(accessLog({ format: AccessLogFormat.Json, skipPaths: ['/healthz'], slowThreshold: 500_000_000 }))
 */
export function accessLog(config: AccessLogConfig = {}): Middleware {
  const settings = compile(config)
  const middleware = (ctx: Context, next: Next): Promise<void> => {
    const outer = ctx.get(PENDING_ENTRY)
    if (outer !== null) outer.settings = settings
    else if (!settings.skipPaths.has(ctx.path)) expectEntry(ctx, settings)
    ctx.provide(RequestLogger, () => new RequestLogger(logger, () => prefixOf(ctx, settings)))
    return next()
  }
  return Object.assign(middleware, { refused: (refusal: Refusal) => logRefused(refusal, settings) })
}

function expectEntry(ctx: Context, settings: Settings): void {
  const startMs = performance.now()
  const pending: PendingEntry = { settings }
  ctx.set(PENDING_ENTRY, pending)
  ctx.onFinish((outcome) => logFinished(ctx, outcome, performance.now() - startMs, pending.settings))
}

function logFinished(ctx: Context, outcome: Outcome, durationMs: number, settings: Settings): void {
  if (settings.skipPaths.has(ctx.path)) return
  const ending = endingOf(outcome, durationMs, settings)
  const level = entryLevel(ending, settings)
  if (!logger.isEnabled(level) || isSkipped(ctx, settings)) return
  const entry = contextEntry(ctx, outcome.bodyBytes, ending, settings)
  // Without arguments the text is never taken for a format.
  logger.log(
    level,
    entryText(entry, settings, () => settings.customFormatter?.(ctx, ending.durationNs)),
  )
}

function logRefused(refusal: Refusal, settings: Settings): void {
  const ending = refusedEnding(refusal, settings)
  const level = entryLevel(ending, settings)
  if (!logger.isEnabled(level)) return
  const entry = refusedEntry(refusal, ending, settings)
  if (!settings.skipPaths.has(entry.path)) logger.log(level, entryText(entry, settings))
}

function isSkipped(ctx: Context, { skipIf }: Settings): boolean {
  if (skipIf === undefined) return false
  try {
    return skipIf(ctx)
  } catch (error) {
    warnOfSkipIf(error)
    return false
  }
}

/** `[<correlation id>] [<METHOD> <path>] `, the former only if the request has one. */
function prefixOf({ headers, method, path }: Context, { correlationHeader }: Settings): string {
  const id = correlationId(headers.get(correlationHeader))
  return `${id === undefined ? '' : `[${id}] `}[${escapeWordInBrackets(method)} ${escapeWordInBrackets(path)}] `
}
