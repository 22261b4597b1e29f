import { withCode } from './error-code.ts'
import { anything, type OptionKind } from './kinds.ts'

/** Key of the declarations, which all copies of this package in one process share. */
const KEY = Symbol.for('@fw/options: route options')

const registry = globalThis as { [KEY]?: Record<string, OptionKind> }

/**
 * Declares a route option, so that routers accept it. Call it where middleware defines the option, next to the type
 * declaration that adds it to `RouteOptions` in `@fw/types`. A second declaration of a name replaces the first.
 *
 * @param kind The values that routers accept. Default: any value
 * @throws {TypeError} if `name` is a member of `Object.prototype`, which every options object inherits
 *
 * @example
 * declareRouteOption('role', oneOf('user', 'admin'))
 */
export function declareRouteOption(name: string, kind: OptionKind = anything): void {
  if (name in Object.prototype) {
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(`declareRouteOption: name must not be a member of Object.prototype, got "${name}". Rename it.`),
    )
  }
  declared()[name] = kind
}

/** Returns every declared route option with its kind. */
export function declaredRouteOptions(): Readonly<Record<string, OptionKind>> {
  return declared()
}

function declared(): Record<string, OptionKind> {
  return (registry[KEY] ??= Object.create(null) as Record<string, OptionKind>)
}
