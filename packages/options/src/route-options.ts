import { anything, type OptionKind } from './kinds.ts'

/** Two copies of this package in one process must see the same declarations. */
const KEY = Symbol.for('@fw/options: route options')

const registry = globalThis as { [KEY]?: Record<string, OptionKind> }

/**
 * Makes a route option known, so that routers accept it. Call it where middleware defines the option, next to the
 * declaration that adds it to `RouteOptions` of `@fw/types`. A second declaration of a name replaces the first.
 *
 * @param kind The values that routers accept. Default: any value
 *
 * @example
 * declareRouteOption('role', oneOf('user', 'admin'))
 */
export function declareRouteOption(name: string, kind: OptionKind = anything): void {
  declared()[name] = kind
}

/** Returns every declared route option with its kind. */
export function declaredRouteOptions(): Readonly<Record<string, OptionKind>> {
  return declared()
}

function declared(): Record<string, OptionKind> {
  return (registry[KEY] ??= Object.create(null) as Record<string, OptionKind>)
}
