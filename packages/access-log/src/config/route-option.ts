import { Level } from '@fw/log'
import { declareRouteOption, either, integer, object, oneOf } from '@fw/options'
import type { LevelNumber, RouteInfo } from '@fw/types'
import type { AccessLogConfig } from './config.ts'
import { compile, type Settings } from './settings.ts'

/**
 * How the entries of one route differ from those of the `accessLog` around it: there are none (`'silent'`, whatever
 * the status), those with a status below 400 have this level, or these options are changed.
 */
export type RouteAccessLog = 'silent' | LevelNumber | AccessLogConfig

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * How entries of this route differ from others: `'silent'` for none, a level for those with a status below 400, or
     * options that are changed. Without an `accessLog` around the route there is nothing to change.
     */
    readonly accessLog?: RouteAccessLog | undefined
  }
}

declareRouteOption('accessLog', either(oneOf('silent'), integer(Level.Trace, Level.Off), object))

/**
 * The settings for the requests of each route.
 *
 * @param config Of the middleware
 * @param settings Made of it; they hold for what has no route or a route without the option
 */
export function routeSettings(config: AccessLogConfig, settings: Settings): (route: RouteInfo | undefined) => Settings {
  const compiled = new WeakMap<RouteInfo, Settings>()
  return (route) => {
    const option = route?.options.accessLog
    if (route === undefined || option === undefined) return settings
    let changed = compiled.get(route)
    if (changed === undefined) {
      changed = change(config, settings, route, option)
      compiled.set(route, changed)
    }
    return changed
  }
}

function change(config: AccessLogConfig, settings: Settings, route: RouteInfo, option: RouteAccessLog): Settings {
  if (option === 'silent') {
    const off = Level.Off
    return { ...settings, normalLevel: off, clientErrorLevel: off, serverErrorLevel: off, slowLevel: off }
  }
  try {
    return compile({ ...config, ...changes(option) }, settings.entries)
  } catch (error) {
    // A route is registered without us; a request must not fail for its log, so this is told of once, on the first.
    const what = `The option accessLog of ${route.method} '${route.pattern}' is wrong, and used without what is wrong in it`
    process.emitWarning(`${what}: ${(error as Error).message}`, 'AccessLogWarning')
    return compile({ ...config, ...usable(option, config, settings) }, settings.entries)
  }
}

/** @throws {TypeError} for what code without types may give */
function changes(option: RouteAccessLog): AccessLogConfig {
  if (typeof option === 'number') return { normalLevel: option }
  if (typeof option === 'object' && (option as unknown) !== null) return stated(option)
  throw new TypeError("accessLog: it is neither 'silent' nor a level nor an object")
}

/** The changes that can be made one by one: a slip in one of them must not write what another keeps out of the log. */
function usable(option: unknown, config: AccessLogConfig, { entries }: Settings): AccessLogConfig {
  if (typeof option !== 'object' || option === null) return {}
  const isUsable = ([name, value]: [string, unknown]): boolean => {
    try {
      compile({ ...config, [name]: value }, entries)
      return true
    } catch {
      return false
    }
  }
  return Object.fromEntries(Object.entries(stated(option)).filter(isUsable))
}

/** What is `undefined` was not given: it must not write what the group keeps out of the log. */
function stated(option: object): AccessLogConfig {
  return Object.fromEntries(Object.entries(option).filter(([, value]) => value !== undefined))
}
