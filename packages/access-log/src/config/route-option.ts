import { compileTrust, type TrustProxy } from '@fw/client-address'
import { Level, type LevelOption } from '@fw/log'
import { declareRouteOption, either, object, oneOf, type OptionKind, optionError, showValue } from '@fw/options'
import type { RouteInfo } from '@fw/types'
import { ENTRY_KINDS, hasBothThresholds, levelKind, ONE_THRESHOLD } from './check-config.ts'
import type { AccessLogConfig, EntryConfig } from './config.ts'
import { compile, type Settings } from './settings.ts'

/**
 * Changes the access log for one route. `'silent'` disables the entry. A level applies to entries with a status below 400. An
 * object overrides individual options.
 */
export type RouteAccessLog = 'silent' | LevelOption | EntryConfig

declare module '@fw/types' {
  interface RouteOptions {
    /**
     * Changes the access log for this route. `'silent'` disables the entry. A level applies to entries with a status below 400.
     * An object overrides individual options. Has no effect on routes without an `accessLog`.
     */
    readonly accessLog?: RouteAccessLog | undefined
  }
}

const trustKind: OptionKind = {
  expected: 'false, a number of hops, an array of CIDR blocks or { proxies, header }',
  accepts: isTrust,
  isRightType: (value) => typeof value === 'number',
}

const valueKind = either(oneOf('silent'), levelKind, object)

const routeKind: OptionKind = {
  ...valueKind,
  accepts: (value) => valueKind.accepts(value) && !(object.accepts(value) && hasBothThresholds(value as object)),
  fix: (value) => (object.accepts(value) ? ONE_THRESHOLD : 'Use "silent" or a constant such as Level.Debug.'),
  nested: { ...ENTRY_KINDS, trustProxy: trustKind },
}

declareRouteOption('accessLog', routeKind)

/**
 * Creates the function that looks up a route's settings.
 *
 * @param config The options of the middleware
 * @param settings Their compiled form, for requests without a route and for routes without the option
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
    return compile(merge(config, changes(option)), settings.entries)
  } catch (error) {
    // A router that does not check options registered this route. A request must not fail because of its access log.
    const what = `${route.method} ${route.pattern}: option "accessLog" is used without its invalid parts`
    process.emitWarning(`${what}. ${(error as Error).message}`, 'AccessLogWarning')
    return compile(merge(config, usable(option, config, settings)), settings.entries)
  }
}

/** @throws {TypeError | RangeError} for a value that does not match the type */
function changes(option: RouteAccessLog): AccessLogConfig {
  if (typeof option === 'object' && (option as unknown) !== null) return stated(option)
  if (levelKind.accepts(option)) return { normalLevel: option as LevelOption }
  const { expected } = routeKind
  throw optionError({ api: 'accessLog', name: 'accessLog', expected, got: showValue(option), fix: 'Change the route.' })
}

/** Returns the valid changes. An invalid option must not expose a value that another option keeps out of the log. */
function usable(option: unknown, config: AccessLogConfig, { entries }: Settings): AccessLogConfig {
  if (typeof option !== 'object' || option === null) return {}
  let valid: AccessLogConfig = {}
  for (const [name, value] of Object.entries(stated(option))) {
    const more = { ...valid, [name]: value }
    try {
      compile(merge(config, more), entries)
      valid = more
    } catch {
      // The warning reports the first invalid part.
    }
  }
  return valid
}

/**
 * Returns the middleware options, overridden by a route's options. A threshold on the route overrides the option in both units.
 */
function merge(config: AccessLogConfig, route: AccessLogConfig): AccessLogConfig {
  if (route.slowThreshold === undefined && route.slowThresholdMs === undefined) return { ...config, ...route }
  return { ...config, slowThreshold: undefined, slowThresholdMs: undefined, ...route }
}

/** Removes options that are `undefined`, because they must not cancel a redaction in the middleware options. */
function stated(option: object): AccessLogConfig {
  return Object.fromEntries(Object.entries(option).filter(([, value]) => value !== undefined))
}

function isTrust(value: unknown): boolean {
  try {
    compileTrust(value as TrustProxy)
    return true
  } catch {
    return false
  }
}
