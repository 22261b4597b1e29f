import { performance } from 'node:perf_hooks'
import type { Context, Outcome, ProtocolText } from '@fw/types'
import { requestIdOf } from '../entry/request-id.ts'
import { traceContextOf, type TraceContext } from '../entry/trace-context.ts'
import type { CapturedHeader, Entry } from '../entry/entry.ts'
import { REDACTED, redactQuery } from './redact.ts'
import type { HeaderChoice, Settings } from '../config/settings.ts'

/** The entry for a request with a context. Reads each request property on access, because no format uses all of them. */
export class ContextEntry implements Entry {
  readonly ctx: Context
  /** The settings of the innermost `accessLog`. */
  settings: Settings
  status = 0
  bytes = 0
  durationNs = 0
  isSlow = false
  isAborted = false
  readonly #startMs: number = performance.now()

  constructor(ctx: Context, settings: Settings) {
    this.ctx = ctx
    this.settings = settings
  }

  /** Completes the entry when the request has ended. */
  end({ status, bodyBytes, aborted }: Outcome): void {
    // Like nginx, use the unregistered status 499 if the client disconnected before the head.
    this.status = status === 0 ? 499 : status
    this.bytes = hasBody(this.ctx.method, this.status) ? bodyBytes : 0
    this.durationNs = Math.round((performance.now() - this.#startMs) * 1e6)
    this.isSlow = this.durationNs > this.settings.slowThresholdNs
    this.isAborted = aborted
  }

  get method(): string {
    return this.ctx.method
  }

  get path(): string {
    return this.ctx.path
  }

  get query(): string {
    const { logQuery, redactQuery: names } = this.settings
    return logQuery ? redactQuery(this.ctx.rawQuery, names) : ''
  }

  get clientAddress(): string | undefined {
    const { logClientIp, clientAddress } = this.settings
    return logClientIp ? clientAddress(this.ctx) : undefined
  }

  get protocol(): ProtocolText {
    return this.ctx.protocol
  }

  get requestHeaders(): readonly CapturedHeader[] {
    return capture(this.settings.requestHeaders, this.ctx, 'headers')
  }

  get responseHeaders(): readonly CapturedHeader[] {
    return capture(this.settings.responseHeaders, this.ctx, 'responseHeaders')
  }

  get correlationId(): string | undefined {
    return requestIdOf(this.ctx, this.settings)
  }

  get trace(): TraceContext | undefined {
    return this.settings.logTraceContext ? traceContextOf(this.ctx.headers) : undefined
  }
}

const NONE: readonly CapturedHeader[] = []

/** Returns the captured headers that are present in a request or response. */
function capture(
  choices: readonly HeaderChoice[],
  ctx: Context,
  side: 'headers' | 'responseHeaders',
): readonly CapturedHeader[] {
  if (choices.length === 0) return NONE
  const headers = ctx[side]
  const captured: CapturedHeader[] = []
  for (const { label, name, isRedacted } of choices) {
    const values = headers.getAll(name)
    if (values.length > 0) captured.push({ name: label, value: isRedacted ? REDACTED : values.join(', ') })
  }
  return captured
}

/** Reports whether a response can have a body (RFC 9110 §6.4.1). */
function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304 && status >= 200
}
