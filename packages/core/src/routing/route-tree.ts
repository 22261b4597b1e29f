import { RouteLeaf, type RouteEntry } from './route-leaf.ts'
import type { PatternSegment } from './route-pattern.ts'

/**
 * A place between two characters of a path. Literal text is shared by all patterns that go on with it; parameters and
 * wildcards begin where a segment does.
 */
export interface Place<T> {
  /** Literal text since the place before, as UTF-16 codes: reading the path twice as often would take twice as long. */
  codes: readonly number[]
  /** How literal text goes on, each with another first character. */
  readonly literals: Place<T>[]
  /** Behind a segment that is a parameter. */
  param: Place<T> | undefined
  /** Routes that end here. */
  leaf: RouteLeaf<T> | undefined
  /** Routes whose wildcard begins here. */
  wildcard: RouteLeaf<T> | undefined
}

/** A search for the route of a method, and what it notes down. */
export interface Search<T> {
  method: string
  /** Where each parameter and wildcard of the entry found begins and ends in the path, two numbers for each. */
  readonly bounds: number[]
  /** Leaves that fit the path and have nothing for the method. */
  passed: RouteLeaf<T>[] | undefined
}

/** The root of a tree without routes. */
export function emptyTree<T>(): Place<T> {
  return place([])
}

/** The leaf of a shape, made if there is none. */
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
 * Finds the entry for a path: segment by segment literal text goes before a parameter, a parameter before a wildcard;
 * where that leads to nothing for the method, the next best is tried.
 *
 * @param start Index in the path at which `from` is reached
 * @param count Parameters before it
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
        // With nothing to come back for, the search goes on without a call.
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
          // Noted before it is known to lead anywhere; whatever comes back for another way writes over it.
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

/** The place that literal text leads to, made if there is none. */
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
  // The two part within the text: a place between them.
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
  // One that was made for a route that was then refused has no methods at all.
  if (entry === undefined && leaf.methods.length > 0) (search.passed ??= []).push(leaf)
  return entry
}
