import { withCode } from '@fw/options'
import type { Params } from '@fw/types'
import { decodePath, toggleSlash, referenceToOtherEnd, segmentText, withoutCase } from './path-text.ts'
import {
  allowedMethods,
  type MethodKey,
  NO_METHOD,
  type RouteEntry,
  type RouteLeaf,
  type RouteMatch,
} from './route-leaf.ts'
import { parsePattern, segmentWithoutCase, type PatternSegment } from './route-pattern.ts'
import { emptyTree, findEntry, leafOf, type Place, type Search } from './route-tree.ts'
import { EXACT_ROUTING, type Routing } from '../options/routing-options.ts'

/** Result of a lookup by method and path. */
export type RouteLookup<T> =
  | RouteMatch<T>
  /** The path has routes, but not for this method. The best match comes first. */
  | { readonly kind: 'other-methods'; readonly allow: readonly string[]; readonly values: readonly T[] }
  /** A route matches the path with its trailing slash toggled. `reference` is the relative reference to that path. */
  | { readonly kind: 'other-end'; readonly reference: string }
  | { readonly kind: 'unknown' }
  /** The path has a malformed percent-encoding. */
  | { readonly kind: 'malformed' }

/** Parameters by name. Has no prototype, so that `params.constructor` is `undefined`. */
const ParamSet = function ParamSet() {} as unknown as new () => Record<string, string>
ParamSet.prototype = Object.create(null)

/** Parameters of a path that has none. */
export const NO_PARAMS: Params = Object.freeze(new ParamSet())
const UNKNOWN = { kind: 'unknown' } as const
const MALFORMED = { kind: 'malformed' } as const

/**
 * Finds the route for a method and a path.
 *
 * In each segment, literal text takes precedence over a parameter, and a parameter over a wildcard. If that match has
 * no route for the method, the search tries the next best.
 */
export class RouteTable<T> {
  readonly #routing: Routing
  readonly #tree: Place<T> = emptyTree()
  /**
   * Leaves of patterns without parameters, by path. No other pattern takes precedence over them, so a single lookup is
   * enough.
   */
  readonly #literal = new Map<string, RouteLeaf<T>>()
  readonly #methods = new Set<MethodKey>()
  /** Reused by all searches, because each one ends before the next begins. */
  readonly #search: Search<T> = { method: '', bounds: [], passed: undefined }

  constructor(routing: Routing = EXACT_ROUTING) {
    this.#routing = routing
  }

  /**
   * Adds a route.
   *
   * @param isImplied Whether another route for the same paths takes precedence, in any order of registration
   * @throws {TypeError} if the pattern is malformed
   * @throws {Error} if the method has a route for paths of the same shape
   */
  add(method: MethodKey, pattern: string, value: T, isImplied: boolean = false): void {
    const leaves = shapesOf(parsePattern(pattern)).map((shape) => {
      const leaf = this.#leaf(shape)
      const taken = leaf.get(method)
      if (taken?.isImplied === false && !isImplied) {
        const name = typeof method === 'string' ? method : '*'
        throw withCode(
          'FW_DUPLICATE_ROUTE',
          new Error(`${name} ${pattern}: '${taken.pattern}' is registered for the same paths. Remove one of the two.`),
        )
      }
      return { leaf, names: shape.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name])) }
    })
    for (const { leaf, names } of leaves) {
      if (isImplied && leaf.get(method) !== undefined) continue
      const fixed = names.length === 0 ? ({ kind: 'match', value, params: NO_PARAMS } as const) : undefined
      leaf.set(method, { value, pattern, names, fixed, isImplied })
    }
    this.#methods.add(method)
  }

  /**
   * Finds the route for a method and a path.
   *
   * @param path The path as received, starting with `/`
   */
  find(method: string, path: string): RouteLookup<T> {
    const known = this.#literal.get(path)?.pick(method)?.fixed
    if (known !== undefined) return known
    const text = decodePath(path)
    if (text === undefined) return MALFORMED
    const search = this.#search
    search.method = method
    search.passed = undefined
    const isEncoded = text !== path
    const match = this.#match(text, isEncoded)
    if (match !== undefined) return match
    if (this.#routing.trailingSlash !== 'strict') {
      const other = this.#match(toggleSlash(text), isEncoded)
      if (other !== undefined) {
        return this.#routing.trailingSlash === 'ignore'
          ? other
          : { kind: 'other-end', reference: referenceToOtherEnd(path) }
      }
    }
    const { passed } = this.#search
    if (passed === undefined) return UNKNOWN
    const values = [...new Set(passed.flatMap((leaf) => leaf.values))]
    return { kind: 'other-methods', allow: allowedMethods(passed.flatMap((leaf) => leaf.methods)), values }
  }

  /** Returns the values for every method of a path, the best match first. @param path The path as received */
  valuesOf(path: string): readonly T[] {
    const found = this.find(NO_METHOD, path)
    return found.kind === 'other-methods' ? found.values : []
  }

  /** Returns the methods of a path, for `Allow`. @param path The path as received */
  allowed(path: string): readonly string[] {
    const found = this.find(NO_METHOD, path)
    return found.kind === 'other-methods' ? found.allow : []
  }

  /** Returns every registered method, for `OPTIONS *`. */
  get methods(): readonly string[] {
    return allowedMethods(this.#methods)
  }

  #match(text: string, isEncoded: boolean): RouteMatch<T> | undefined {
    const path = this.#routing.caseSensitive ? text : withoutCase(text)
    const entry = findEntry(this.#tree, path, 0, 0, this.#search)
    return (
      entry && (entry.fixed ?? { kind: 'match', value: entry.value, params: this.#paramsOf(entry, text, isEncoded) })
    )
  }

  #paramsOf({ names }: RouteEntry<T>, text: string, isEncoded: boolean): Params {
    const params = new ParamSet()
    const { bounds } = this.#search
    for (let i = 0; i < names.length; i++) {
      const piece = text.slice(bounds[2 * i], bounds[2 * i + 1])
      params[names[i] ?? ''] = isEncoded ? segmentText(piece) : piece
    }
    return params
  }

  /** Returns the leaf of a shape, which it creates if necessary. */
  #leaf(shape: readonly PatternSegment[]): RouteLeaf<T> {
    const segments = this.#routing.caseSensitive ? shape : shape.map(segmentWithoutCase)
    const leaf = leafOf(this.#tree, segments)
    if (segments.every((segment) => segment.kind === 'literal')) {
      const path = `/${segments.map((segment) => segment.text).join('/')}`
      // A '%' in literal text is decoded text, which never equals a received path.
      if (!path.includes('%')) this.#literal.set(path, leaf)
    }
    return leaf
  }
}

/** Returns the shapes of a pattern: with all optional parameters, then without the last one, and so on. */
function shapesOf(segments: readonly PatternSegment[]): readonly (readonly PatternSegment[])[] {
  const shapes = [segments]
  for (let end = segments.length - 1; end >= 0; end--) {
    const segment = segments[end]
    if (segment?.kind !== 'param' || !segment.isOptional) break
    shapes.push(end === 0 ? [{ kind: 'literal', text: '' }] : segments.slice(0, end))
  }
  return shapes
}
