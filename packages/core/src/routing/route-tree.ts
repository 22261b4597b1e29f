import { RouteLeaf, type RouteEntry } from './route-leaf.ts'
import type { PatternSegment } from './route-pattern.ts'

/**
 * Node of the tree: a position between two characters of a path. Patterns share the nodes for their common literal
 * text. Parameters and wildcards begin where a segment begins.
 */
export interface Place<T> {
  /**
   * Literal text since the parent node, as UTF-16 codes. Comparing codes reads each character of the path once, which
   * takes half the time.
   */
  codes: readonly number[]
  /** Child nodes for further literal text. Each starts with a different character. */
  readonly literals: Place<T>[]
  /** Child node after a parameter that fills a segment. */
  param: Place<T> | undefined
  /** Routes that end here. */
  leaf: RouteLeaf<T> | undefined
  /** Routes whose wildcard begins here. */
  wildcard: RouteLeaf<T> | undefined
}

/** State of a search for a method's route. */
export interface Search<T> {
  method: string
  /** Start and end index in the path of each parameter and wildcard of the found entry. */
  readonly bounds: number[]
  /** Leaves that match the path but have no route for the method. */
  passed: RouteLeaf<T>[] | undefined
}

/** Returns the root of a tree without routes. */
export function emptyTree<T>(): Place<T> {
  return place([])
}

/** Returns the leaf of a shape, which it creates if necessary. */
export function leafOf<T>(root: Place<T>, shape: readonly PatternSegment[]): RouteLeaf<T> {
  let at = root
  let text = ''
  for (const segment of shape) {
    text += '/'
    if (segment.kind === 'literal') {
      text += segment.text
      continue
    }
    at = placeAfter(at, codesOf(text))
    text = ''
    if (segment.kind === 'wildcard') return (at.wildcard ??= new RouteLeaf())
    at = at.param ??= place([])
  }
  return (placeAfter(at, codesOf(text)).leaf ??= new RouteLeaf())
}

/**
 * Finds the entry for a path. In each segment, literal text takes precedence over a parameter, and a parameter over a
 * wildcard. If that match has no route for the method, the search tries the next best.
 *
 * @param start Index in the path at which `from` is reached
 * @param count Number of parameters before it
 */
// docs/decisions/0024
export function findEntry<T>(
  from: Place<T>,
  path: string,
  start: number,
  count: number,
  search: Search<T>,
): RouteEntry<T> | undefined {
  let here = from
  let at = start
  let index = count
  for (;;) {
    const { param, wildcard } = here
    let entry: RouteEntry<T> | undefined
    if (at === path.length) {
      entry = here.leaf && take(here.leaf, search)
    } else {
      const literal = literalAt(here, path, at)
      if (literal !== undefined) {
        const end = at + literal.codes.length
        // Continue without recursion if the search cannot return to this node.
        if (param === undefined && wildcard === undefined) {
          here = literal
          at = end
          continue
        }
        entry = findEntry(literal, path, end, index, search)
      }
      if (entry === undefined && param !== undefined) {
        const slash = path.indexOf('/', at)
        const end = slash === -1 ? path.length : slash
        if (end > at) {
          // Record the bounds before the branch is known to match, because another branch overwrites them.
          search.bounds[2 * index] = at
          search.bounds[2 * index + 1] = end
          if (wildcard === undefined) {
            here = param
            at = end
            index++
            continue
          }
          entry = findEntry(param, path, end, index + 1, search)
        }
      }
    }
    if (entry !== undefined || wildcard === undefined) return entry
    search.bounds[2 * index] = at
    search.bounds[2 * index + 1] = path.length
    return take(wildcard, search)
  }
}

function place<T>(codes: readonly number[]): Place<T> {
  return { codes, literals: [], param: undefined, leaf: undefined, wildcard: undefined }
}

/** Returns the node to which literal text leads, and creates it if necessary. */
function placeAfter<T>(from: Place<T>, codes: readonly number[]): Place<T> {
  if (codes.length === 0) return from
  const index = from.literals.findIndex((literal) => literal.codes[0] === codes[0])
  const literal = from.literals[index]
  if (literal === undefined) {
    const made = place<T>(codes)
    from.literals.push(made)
    return made
  }
  const common = commonLength(literal.codes, codes)
  if (common === literal.codes.length) return placeAfter(literal, codes.slice(common))
  // The strings differ after a common prefix. Insert a node where they diverge.
  const fork = place<T>(codes.slice(0, common))
  from.literals[index] = fork
  literal.codes = literal.codes.slice(common)
  fork.literals.push(literal)
  return placeAfter(fork, codes.slice(common))
}

function commonLength(a: readonly number[], b: readonly number[]): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, i) => text.charCodeAt(i))
}

function literalAt<T>(from: Place<T>, path: string, at: number): Place<T> | undefined {
  const first = path.charCodeAt(at)
  const { literals } = from
  for (let i = 0; i < literals.length; i++) {
    const literal = literals[i]
    if (literal !== undefined && literal.codes[0] === first) return holds(literal.codes, path, at) ? literal : undefined
  }
  return undefined
}

function holds(codes: readonly number[], path: string, at: number): boolean {
  if (at + codes.length > path.length) return false
  for (let i = 1; i < codes.length; i++) if (codes[i] !== path.charCodeAt(at + i)) return false
  return true
}

function take<T>(leaf: RouteLeaf<T>, search: Search<T>): RouteEntry<T> | undefined {
  const entry = leaf.pick(search.method)
  // A rejected route can leave a leaf without methods.
  if (entry === undefined && leaf.methods.length > 0) (search.passed ??= []).push(leaf)
  return entry
}
