import type { Params } from '@fw/types'
import { decodePath, toggleSlash, referenceToOtherEnd, segmentText, withoutCase } from './path-text.ts'
import { allowedMethods, type MethodKey, type RouteEntry, type RouteLeaf, type RouteMatch } from './route-leaf.ts'
import { parsePattern, segmentWithoutCase, type PatternSegment } from './route-pattern.ts'
import { emptyTree, findEntry, leafOf, type Place, type Search } from './route-tree.ts'
import { EXACT_ROUTING, type Routing } from '../options/routing-options.ts'

/** What a table says about a method and a path. */
export type RouteLookup<T> =
  | RouteMatch<T>
  /** The path has routes, but none for this method. */
  | { readonly kind: 'other-methods'; readonly allow: readonly string[] }
  /** There is a route for the path with its other end: a relative reference to it. */
  | { readonly kind: 'other-end'; readonly reference: string }
  | { readonly kind: 'unknown' }
  /** The path has a malformed percent-encoding. */
  | { readonly kind: 'malformed' }

/** Parameters by name; without a prototype, so that `params.constructor` is not a function nobody registered. */
const ParamSet = function ParamSet() {} as unknown as new () => Record<string, string>
ParamSet.prototype = Object.create(null)

/** The parameters of a path without any. */
export const NO_PARAMS: Params = Object.freeze(new ParamSet())
const UNKNOWN = { kind: 'unknown' } as const
const MALFORMED = { kind: 'malformed' } as const

/**
 * Finds the value of a method and a path among patterns.
 *
 * In each segment literal text goes before a parameter, and a parameter before a wildcard; where that leads to no
 * route for the method, the next best is tried.
 */
export class RouteTable<T> {
  readonly #routing: Routing
  readonly #tree: Place<T> = emptyTree()
  /** Leaves of patterns without parameters by path: nothing goes before them, so one look is enough. */
  readonly #literal = new Map<string, RouteLeaf<T>>()
  readonly #methods = new Set<MethodKey>()
  /** Used again and again, as one search ends before the next begins. */
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
        throw new Error(`${name} ${pattern}: '${taken.pattern}' is registered for the same paths`)
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

  /** @param path As received, starting with `/` */
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
    return { kind: 'other-methods', allow: allowedMethods(passed.flatMap((leaf) => leaf.methods)) }
  }

  /** Every method that some path has, for `OPTIONS *`. */
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

  /** The leaf of a shape, made if there is none. */
  #leaf(shape: readonly PatternSegment[]): RouteLeaf<T> {
    const segments = this.#routing.caseSensitive ? shape : shape.map(segmentWithoutCase)
    const leaf = leafOf(this.#tree, segments)
    if (segments.every((segment) => segment.kind === 'literal')) {
      const path = `/${segments.map((segment) => segment.text).join('/')}`
      // A '%' in literal text is decoded text, which a path as received never equals.
      if (!path.includes('%')) this.#literal.set(path, leaf)
    }
    return leaf
  }
}

/** The shapes of a pattern: with all, …, one, none of its optional parameters. */
function shapesOf(segments: readonly PatternSegment[]): readonly (readonly PatternSegment[])[] {
  const shapes = [segments]
  for (let end = segments.length - 1; end >= 0; end--) {
    const segment = segments[end]
    if (segment?.kind !== 'param' || !segment.isOptional) break
    shapes.push(end === 0 ? [{ kind: 'literal', text: '' }] : segments.slice(0, end))
  }
  return shapes
}
