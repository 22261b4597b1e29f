import type { Params } from '@fw/types'

/** Key for a route that handles every method without its own route, except CONNECT and TRACE. */
export const ANY_METHOD: unique symbol = Symbol('any method')

/** Method name, or the key for any method. */
export type MethodKey = string | typeof ANY_METHOD

/** Key that is not a method, so no route handles it. A search for this key visits every route of a path. */
export const NO_METHOD = ''

/** Methods that a route for any method does not handle, because their semantics need an explicit handler. */
const ASKED_FOR: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', NO_METHOD])
const ANY_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Route that matches a path. */
export interface RouteMatch<T> {
  readonly kind: 'match'
  readonly value: T
  readonly params: Params
}

/** Route for one pattern and method. */
export interface RouteEntry<T> {
  readonly value: T
  readonly pattern: string
  /** Names of the parameters, in path order. */
  readonly names: readonly string[]
  /** Result for a pattern without parameters. Allocated once. */
  readonly fixed: RouteMatch<T> | undefined
  /** Whether a route that is registered explicitly for the same paths replaces this one. */
  readonly isImplied: boolean
}

/** Routes that share one path shape, by method. */
export class RouteLeaf<T> {
  readonly methods: MethodKey[] = []
  readonly #entries: RouteEntry<T>[] = []

  /**
   * Returns the entry that was set for exactly this method. Searches an array, which is faster than a `Map` for a few
   * methods.
   */
  get(method: MethodKey): RouteEntry<T> | undefined {
    const { methods } = this
    for (let i = 0; i < methods.length; i++) if (methods[i] === method) return this.#entries[i]
    return undefined
  }

  /** The values for all methods. */
  get values(): readonly T[] {
    return this.#entries.map(({ value }) => value)
  }

  /** Sets the entry of a method, replacing an earlier one. */
  set(method: MethodKey, entry: RouteEntry<T>): void {
    const at = this.methods.indexOf(method)
    if (at < 0) this.methods.push(method)
    this.#entries[at < 0 ? this.#entries.length : at] = entry
  }

  /** Returns the entry that handles a method: its own entry, the GET entry for HEAD, or the entry for any method. */
  pick(method: string): RouteEntry<T> | undefined {
    return (
      this.get(method) ??
      (method === 'HEAD' ? this.get('GET') : undefined) ??
      (ASKED_FOR.has(method) ? undefined : this.get(ANY_METHOD))
    )
  }
}

/**
 * Returns the methods for `Allow`. Adds OPTIONS, and HEAD if GET is registered, because neither needs its own route.
 */
export function allowedMethods(registered: Iterable<MethodKey>): readonly string[] {
  const names = new Set<string>()
  for (const method of registered) {
    if (method === ANY_METHOD) for (const name of ANY_METHODS) names.add(name)
    else names.add(method)
    if (method === 'GET') names.add('HEAD')
  }
  return [...names.add('OPTIONS')]
}
