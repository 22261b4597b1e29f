import type { Params } from '@fw/types'

/** Registers a route for every method that has none of its own, but for those that need to be asked for. */
export const ANY_METHOD: unique symbol = Symbol('any method')

/** A method, or any of them. */
export type MethodKey = string | typeof ANY_METHOD

/** Methods that a route for any method does not stand for: what they do is not for a handler that never heard of them. */
const ASKED_FOR: ReadonlySet<string> = new Set(['CONNECT', 'TRACE'])
const ANY_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The route of a path. */
export interface RouteMatch<T> {
  readonly kind: 'match'
  readonly value: T
  readonly params: Params
}

/** What is kept for one pattern and method. */
export interface RouteEntry<T> {
  readonly value: T
  readonly pattern: string
  /** Names of the parameters in the order of the path. */
  readonly names: readonly string[]
  /** What is found where there are no parameters, made once. */
  readonly fixed: RouteMatch<T> | undefined
  /** Whether a route that is registered for these paths replaces this one. */
  readonly isImplied: boolean
}

/** The entries of one shape of path, by method. */
export class RouteLeaf<T> {
  readonly methods: MethodKey[] = []
  readonly #entries: RouteEntry<T>[] = []

  /** The entry that was set for just this. There are so few that a `Map` would only cost. */
  get(method: MethodKey): RouteEntry<T> | undefined {
    const { methods } = this
    for (let i = 0; i < methods.length; i++) if (methods[i] === method) return this.#entries[i]
    return undefined
  }

  /** Sets the entry of a method, and replaces an earlier one. */
  set(method: MethodKey, entry: RouteEntry<T>): void {
    const at = this.methods.indexOf(method)
    if (at < 0) this.methods.push(method)
    this.#entries[at < 0 ? this.#entries.length : at] = entry
  }

  /** The entry that answers a method: its own, that of GET for HEAD, that of any method. */
  pick(method: string): RouteEntry<T> | undefined {
    return (
      this.get(method) ??
      (method === 'HEAD' ? this.get('GET') : undefined) ??
      (ASKED_FOR.has(method) ? undefined : this.get(ANY_METHOD))
    )
  }
}

/** What `Allow` names for registered methods; HEAD by GET, and OPTIONS, are answered without a route of their own. */
export function allowedMethods(registered: Iterable<MethodKey>): readonly string[] {
  const names = new Set<string>()
  for (const method of registered) {
    if (method === ANY_METHOD) for (const name of ANY_METHODS) names.add(name)
    else names.add(method)
    if (method === 'GET') names.add('HEAD')
  }
  return [...names.add('OPTIONS')]
}
