import { setTimeout as sleep } from 'node:timers/promises'
import { logger as globalLogger, type Logger } from '@fw/log'
import {
  anything,
  checkOptions,
  integer,
  object,
  objectWith,
  optionError,
  showValue,
  type OptionKind,
  type OptionKinds,
  withFix,
} from '@fw/options'
import type { Context, RouteOptions, Router } from '@fw/types'

/**
 * Checks something that requests need, such as a database. The check fails if the function throws, rejects or returns
 * `false`. `signal` aborts after `timeoutMs`.
 */
export type HealthCheck = (signal: AbortSignal) => unknown

/** Options of `health`. */
export interface HealthOptions {
  /** Path that responds with 200 while the process can respond at all. Default `/livez`. */
  readonly livePath?: string
  /** Path that responds with 200 while the process can serve requests, and otherwise with 503. Default `/readyz`. */
  readonly readyPath?: string
  /** Checks that must pass for `readyPath`, by name. They run at the same time. Default none. */
  readonly checks?: Readonly<Record<string, HealthCheck>>
  /** Time in milliseconds after which a check fails. Default 2,000, less than the timeout of most probes. */
  readonly timeoutMs?: number
  /** Options of both routes, such as `{ accessLog: false }`. Default none. */
  readonly route?: RouteOptions
  /** Receives a record when a check begins to fail, and when it passes again. Default: the global logger of `@fw/log`. */
  readonly logger?: Logger
}

const PATH: OptionKind = {
  expected: 'a path that begins with /',
  accepts: (value) => typeof value === 'string' && value.startsWith('/'),
}

const KINDS: OptionKinds<HealthOptions> = {
  livePath: PATH,
  readyPath: PATH,
  checks: withFix(object, 'Write for example { database: () => pool.query("SELECT 1") }.'),
  timeoutMs: integer(1, 60_000),
  // The router checks these options.
  route: anything,
  logger: objectWith('a logger of @fw/log', 'with', 'warn'),
}

/**
 * Adds two routes for the probes of an orchestrator or load balancer. The process is live while it responds. It is
 * ready while all checks pass and the server is not closing.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type, or a check is not a function
 * @throws {RangeError} if `timeoutMs` is out of range
 *
 * @example
 * health(server.router(), { checks: { database: () => pool.query('SELECT 1') } })
 */
export function health(router: Router, options: HealthOptions = {}): void {
  checkOptions('health', options, KINDS)
  const { livePath = '/livez', readyPath = '/readyz', checks = {}, timeoutMs = 2000, route = {} } = options
  const logger = (options.logger ?? globalLogger).with({ component: '@fw/core' })
  const running = Object.entries(checks).map(([name, check]) => new RepeatedCheck(name, check, timeoutMs, logger))

  router.get(livePath, route, (ctx) => respond(ctx, []))
  router.get(readyPath, route, async (ctx) => {
    let isClosing = false
    ctx.onDrain(() => (isClosing = true))
    const failed = await Promise.all(running.map(async (each) => ((await each.passes()) ? [] : [each.name])))
    respond(ctx, isClosing ? ['shutdown', ...failed.flat()] : failed.flat())
  })
}

function respond(ctx: Context, failed: readonly string[]): void {
  ctx.responseHeaders.set('cache-control', 'no-store')
  if (failed.length === 0) ctx.json({ status: 'ok' })
  else ctx.json({ status: 'unavailable', failed }, { status: 503 })
}

/**
 * Runs one check. Later probes wait for the running check, even after its timeout, so that a slow database receives no
 * further queries.
 */
class RepeatedCheck {
  readonly name: string
  readonly #check: HealthCheck
  readonly #timeoutMs: number
  readonly #logger: Logger
  /** The running check. Resolves to the reason for its failure. */
  #running: Promise<unknown> | undefined = undefined
  #isFailing = false

  constructor(name: string, check: HealthCheck, timeoutMs: number, logger: Logger) {
    if (typeof check !== 'function') {
      const fix = 'Write a function that throws if the check fails.'
      throw optionError({ api: 'health', name: `checks.${name}`, expected: 'a function', got: showValue(check), fix })
    }
    this.name = name
    this.#check = check
    this.#timeoutMs = timeoutMs
    this.#logger = logger
  }

  async passes(): Promise<boolean> {
    const waited = new AbortController()
    this.#running ??= this.#run().finally(() => (this.#running = undefined))
    const failure = await Promise.race([this.#running, this.#timeout(waited.signal)])
    waited.abort()
    const isFailing = failure !== undefined
    if (isFailing && !this.#isFailing) this.#logger.warn('Health check {} fails: {}', this.name, failure)
    if (!isFailing && this.#isFailing) this.#logger.info('Health check {} passes again', this.name)
    this.#isFailing = isFailing
    return !isFailing
  }

  /** Returns the reason for a failure; `undefined` if the check passes. Never rejects. */
  async #run(): Promise<unknown> {
    const signal = AbortSignal.timeout(this.#timeoutMs)
    try {
      return (await this.#check(signal)) === false ? 'it returned false' : undefined
    } catch (error) {
      return error ?? 'it threw nothing'
    }
  }

  /** Resolves to a failure after the timeout. Rejects when `signal` aborts, so that no timer remains. */
  async #timeout(signal: AbortSignal): Promise<string> {
    return await sleep(this.#timeoutMs, `it did not end within ${this.#timeoutMs} ms`, { signal, ref: false })
  }
}
