import type { Params } from '@fw/types'
import { isDecodable } from './path-segments.ts'
import { parsePattern, type PatternSegment } from './route-pattern.ts'

/** What a table says about a method and a path. */
export type RouteLookup<T> =
  | { readonly kind: 'match'; readonly value: T; readonly params: Params }
  /** The path has routes, but none for this method. */
  | { readonly kind: 'other-methods'; readonly allow: readonly string[] }
  | { readonly kind: 'unknown' }
  /** The path has a malformed percent-encoding. */
  | { readonly kind: 'malformed' }

/** Registers a route for every method that has none of its own, but for those that need to be asked for. */
export const ANY_METHOD: unique symbol = Symbol('any method')

/** Methods that a route for any method does not stand for: what they do is not for a handler that never heard of them. */
const ASKED_FOR: ReadonlySet<string> = new Set(['CONNECT', 'TRACE'])
const ANY_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

interface Entry<T> {
  readonly value: T
  readonly pattern: string
  /** Names of the parameters in the order of the path. */
  readonly names: readonly string[]
  /** The answer of a path without parameters, made once. */
  readonly fixed: RouteLookup<T> | undefined
}

type Leaf<T> = Map<string | typeof ANY_METHOD, Entry<T>>

/** With up to so many literals after a segment they are compared one after another, which needs no copy of the text. */
const MAX_COMPARED = 8

interface Edge<T> {
  readonly text: string
  readonly node: Node<T>
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>
  /** The literals once more, as long as they are few. */
  readonly few: Edge<T>[]
  param: Node<T> | undefined
  /** Routes that end here. */
  leaf: Leaf<T> | undefined
  /** Routes whose wildcard starts here. */
  wildcard: Leaf<T> | undefined
}

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
  readonly #root: Node<T> = emptyNode()
  /** Leaves of patterns without parameters by path: nothing goes before them, so one look is enough. */
  readonly #literal = new Map<string, Leaf<T>>()
  readonly #methods = new Set<string>()

  /**
   * Adds a route.
   *
   * @throws {TypeError} if the pattern is malformed
   * @throws {Error} if the method has a route for paths of the same shape
   */
  add(method: string | typeof ANY_METHOD, pattern: string, value: T): void {
    const leaves = withoutOptionals(parsePattern(pattern)).map((segments) => {
      const leaf = this.#leaf(segments)
      const taken = leaf.get(method)
      if (taken !== undefined) {
        const name = method === ANY_METHOD ? 'any method' : method
        throw new Error(`Cannot route ${name} '${pattern}': '${taken.pattern}' is registered for the same paths`)
      }
      return { leaf, names: segments.flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name])) }
    })
    for (const { leaf, names } of leaves) {
      const fixed = names.length === 0 ? ({ kind: 'match', value, params: NO_PARAMS } as const) : undefined
      leaf.set(method, { value, pattern, names, fixed })
    }
    for (const name of allowed([method])) this.#methods.add(name)
  }

  /** @param path As received, starting with `/` */
  find(method: string, path: string): RouteLookup<T> {
    const fixed = this.#literal.get(path)
    const known = fixed && pick(fixed, method)?.fixed
    if (known !== undefined) return known
    const isEncoded = path.includes('%')
    if (isEncoded && !isDecodable(path)) return MALFORMED
    const values: string[] = []
    const entry = search(this.#root, path, 1, isEncoded, values, method)
    if (entry !== undefined) {
      return entry.fixed ?? { kind: 'match', value: entry.value, params: paramsOf(entry.names, values) }
    }
    const others = new Set<string | typeof ANY_METHOD>()
    collect(this.#root, path, 1, isEncoded, others)
    return others.size === 0 ? UNKNOWN : { kind: 'other-methods', allow: allowed(others) }
  }

  /** Every method that some path has, for `OPTIONS *`. */
  get methods(): readonly string[] {
    return allowed(this.#methods)
  }

  /** The leaf of a shape, made if there is none. */
  #leaf(segments: readonly PatternSegment[]): Leaf<T> {
    let node = this.#root
    for (const segment of segments) {
      if (segment.kind === 'wildcard') return (node.wildcard ??= new Map())
      let child = segment.kind === 'param' ? node.param : node.literals.get(segment.text)
      if (child === undefined) {
        child = emptyNode()
        if (segment.kind === 'param') node.param = child
        else addLiteral(node, segment.text, child)
      }
      node = child
    }
    const leaf = (node.leaf ??= new Map())
    if (segments.every((segment) => segment.kind === 'literal')) {
      const path = `/${segments.map((segment) => segment.text).join('/')}`
      // A '%' in literal text is decoded text, which a path as received never equals.
      if (!path.includes('%')) this.#literal.set(path, leaf)
    }
    return leaf
  }
}

function emptyNode<T>(): Node<T> {
  return { literals: new Map(), few: [], param: undefined, leaf: undefined, wildcard: undefined }
}

function addLiteral<T>(node: Node<T>, text: string, child: Node<T>): void {
  node.literals.set(text, child)
  node.few.push({ text, node: child })
}

/** The node after the literal at `start`, as it stands in the path. */
function literalAfter<T>(node: Node<T>, path: string, start: number, end: number): Node<T> | undefined {
  const { few } = node
  if (few.length > MAX_COMPARED) return node.literals.get(path.slice(start, end))
  for (const edge of few) {
    if (edge.text.length === end - start && path.startsWith(edge.text, start)) return edge.node
  }
  return undefined
}

/** The shapes of a pattern: with none, one, … all of its optional parameters. */
function withoutOptionals(segments: readonly PatternSegment[]): readonly (readonly PatternSegment[])[] {
  const shapes = [segments]
  for (let end = segments.length - 1; end >= 0; end--) {
    const segment = segments[end]
    if (segment?.kind !== 'param' || !segment.isOptional) break
    shapes.push(end === 0 ? [{ kind: 'literal', text: '' }] : segments.slice(0, end))
  }
  return shapes
}

/**
 * Looks for the route of a method, best match first.
 *
 * @param start Index of the segment to compare next; past the end of the path when all are
 * @param values Takes the values of parameters and wildcards in the order of the path
 */
function search<T>(
  node: Node<T>,
  path: string,
  start: number,
  isEncoded: boolean,
  values: string[],
  method: string,
): Entry<T> | undefined {
  if (start > path.length) return node.leaf && pick(node.leaf, method)
  const slash = path.indexOf('/', start)
  const end = slash === -1 ? path.length : slash
  const literal = isEncoded
    ? node.literals.get(decoded(path.slice(start, end), isEncoded))
    : literalAfter(node, path, start, end)
  const found = literal && search(literal, path, end + 1, isEncoded, values, method)
  if (found !== undefined) return found
  if (node.param !== undefined && end > start) {
    values.push(decoded(path.slice(start, end), isEncoded))
    const entry = search(node.param, path, end + 1, isEncoded, values, method)
    if (entry !== undefined) return entry
    values.pop()
  }
  const entry = node.wildcard && pick(node.wildcard, method)
  if (entry !== undefined) values.push(decoded(path.slice(start), isEncoded))
  return entry
}

/** Collects the methods of every route that matches a path, wherever `search` would look. */
function collect(
  node: Node<unknown>,
  path: string,
  start: number,
  isEncoded: boolean,
  methods: Set<string | typeof ANY_METHOD>,
): void {
  const addAll = (leaf: Leaf<unknown> | undefined): void => {
    if (leaf !== undefined) for (const method of leaf.keys()) methods.add(method)
  }
  if (start > path.length) {
    addAll(node.leaf)
    return
  }
  const slash = path.indexOf('/', start)
  const end = slash === -1 ? path.length : slash
  const literal = isEncoded
    ? node.literals.get(decoded(path.slice(start, end), isEncoded))
    : literalAfter(node, path, start, end)
  if (literal !== undefined) collect(literal, path, end + 1, isEncoded, methods)
  if (node.param !== undefined && end > start) collect(node.param, path, end + 1, isEncoded, methods)
  addAll(node.wildcard)
}

/** Decodes text of a path that is known to be decodable. */
function decoded(text: string, isEncoded: boolean): string {
  return isEncoded && text.includes('%') ? decodeURIComponent(text) : text
}

function pick<T>(leaf: Leaf<T>, method: string): Entry<T> | undefined {
  return (
    leaf.get(method) ??
    (method === 'HEAD' ? leaf.get('GET') : undefined) ??
    (ASKED_FOR.has(method) ? undefined : leaf.get(ANY_METHOD))
  )
}

/** Adds what is answered without a route of its own: HEAD by GET, and OPTIONS. */
function allowed(methods: Iterable<string | typeof ANY_METHOD>): readonly string[] {
  const names = new Set<string>()
  for (const method of methods) {
    if (method === ANY_METHOD) for (const name of ANY_METHODS) names.add(name)
    else names.add(method)
    if (method === 'GET') names.add('HEAD')
  }
  return [...names.add('OPTIONS')]
}

function paramsOf(names: readonly string[], values: readonly string[]): Params {
  const params = new ParamSet()
  for (let i = 0; i < names.length; i++) params[names[i] ?? ''] = values[i] ?? ''
  return params
}
