import type { RouteInfo } from '@fw/types'
import type { Step } from './compose.ts'
import type { RequestContext } from './context.ts'
import { coversPath, pathSegments } from './path-segments.ts'
import type { RequestTarget } from './request-target.ts'
import { parsePattern, type PatternSegment } from './route-pattern.ts'
import { RouteTable, type ANY_METHOD, type RouteLookup } from './route-table.ts'
import type { RouteGroup } from './router.ts'
import type { Serialize } from './serializers.ts'
import type { Miss } from './unrouted.ts'

/** A registered route, ready to run. */
export interface Route {
  readonly info: RouteInfo
  /** Where it was registered. */
  readonly group: RouteGroup
  readonly serialize: Serialize
  /** The handler with its middleware around it. */
  readonly step: Step<RequestContext>
}

interface PrefixedGroup {
  readonly prefix: readonly PatternSegment[]
  readonly group: RouteGroup
}

/** The routes and groups of a root router. */
export class Routes {
  readonly #table = new RouteTable<Route>()
  readonly #groups: PrefixedGroup[] = []

  /** @throws as `RouteTable.add` */
  add(method: string | typeof ANY_METHOD, pattern: string, route: Route): void {
    this.#table.add(method, pattern, route)
  }

  /** @throws {TypeError} if the prefix is malformed, or holds what can be left out */
  addGroup(group: RouteGroup): void {
    const prefix = parsePattern(group.prefix)
    if (prefix.some((segment) => segment.kind === 'wildcard' || (segment.kind === 'param' && segment.isOptional))) {
      throw new TypeError(`Cannot group '${group.prefix}': a prefix has neither wildcards nor optional parameters`)
    }
    if (prefix.at(-1)?.kind === 'literal' && group.prefix.endsWith('/')) {
      throw new TypeError(`Cannot group '${group.prefix}': a prefix does not end with '/'; its paths start with it`)
    }
    this.#groups.push({ prefix, group })
  }

  find(method: string, target: RequestTarget): (RouteLookup<Route> & { readonly kind: 'match' }) | Miss {
    if (target.form === 'authority') return { kind: 'tunnel' }
    if (target.form === 'asterisk') return { kind: 'options', allow: this.#table.methods }
    if (target.form === 'malformed') return { kind: 'bad-target', detail: 'The request target is malformed' }
    const found = this.#table.find(method, target.path)
    if (found.kind === 'match') return found
    if (found.kind === 'other-methods') {
      return { kind: method === 'OPTIONS' ? 'options' : 'other-methods', allow: found.allow }
    }
    if (found.kind === 'unknown') return { kind: 'not-found' }
    return { kind: 'bad-target', detail: 'The path has a malformed percent-encoding' }
  }

  /** The group with the longest prefix that covers a path, the first one of several; `undefined` if none does. */
  groupOf(path: string): RouteGroup | undefined {
    const segments = pathSegments(path)
    if (segments === undefined) return undefined
    let best: PrefixedGroup | undefined
    for (const candidate of this.#groups) {
      if (candidate.prefix.length <= (best?.prefix.length ?? 0)) continue
      if (coversPath(candidate.prefix, segments)) best = candidate
    }
    return best?.group
  }
}
