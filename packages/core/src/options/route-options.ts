import type { RouteInfo } from '@fw/types'
import { checkOptions } from './check-options.ts'

/** Options of routes here; other packages have more, so that only what looks like one of these is known to be a mistake. */
const ROUTE_OPTIONS = ['use', 'limits', 'timeoutMs', 'params', 'query', 'headers', 'body', 'response']
const ROUTE_LIMITS = ['maxBodyBytes', 'maxFormFields'] as const
/** What other libraries call the same. */
const MEANT: Readonly<Record<string, string>> = {
  middleware: 'use',
  preHandler: 'use',
  bodyLimit: 'limits: { maxBodyBytes }',
  maxBodyBytes: 'limits: { maxBodyBytes }',
  timeout: 'timeoutMs',
  querystring: 'query',
  schema: 'params, query, headers, body and response without it',
}
/** Longest time that a timer of Node.js takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

/**
 * Refuses options of a route that would be without effect.
 *
 * @throws {TypeError} for a name that is meant to be another
 * @throws {RangeError} for a number that is none of those that the option takes
 */
export function checkRouteOptions(info: RouteInfo): void {
  const { method, pattern, options } = info
  const what = `${method} '${pattern}'`
  for (const name of Object.keys(options)) {
    const meant = meantBy(name)
    if (meant !== undefined) throw new TypeError(`Cannot route ${what}: there is no option '${name}', write ${meant}`)
  }
  const { limits, timeoutMs } = options
  if (limits !== undefined) checkOptions(`limits of ${what}`, limits, ROUTE_LIMITS)
  for (const name of ROUTE_LIMITS) {
    const limit = limits?.[name]
    if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 0)) continue
    throw new RangeError(`Cannot route ${what}: ${name} ${limit} is no whole number, 0 or more`)
  }
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) {
    throw new RangeError(`Cannot route ${what}: timeoutMs ${timeoutMs} is no whole number from 1 to ${MAX_TIMEOUT_MS}`)
  }
}

function meantBy(name: string): string | undefined {
  const known = ROUTE_OPTIONS.find((each) => each !== name && each.toLowerCase() === name.toLowerCase())
  if (known !== undefined) return `'${known}'`
  return Object.hasOwn(MEANT, name) ? MEANT[name] : undefined
}
