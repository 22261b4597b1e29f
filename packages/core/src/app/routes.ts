import { showValue, withCode } from '@fw/options'
import type { ErrorHandler, Handler, RouteInfo } from '@fw/types'
import type { Step } from './compose.ts'
import type { RequestContext } from '../context/context.ts'
import { decodePath, withoutCase } from '../routing/path-text.ts'
import type { RequestTarget } from '../engine/semantics/request-target.ts'
import type { MethodKey, RouteMatch } from '../routing/route-leaf.ts'
import { parsePattern, segmentWithoutCase, type PatternSegment } from '../routing/route-pattern.ts'
import { RouteTable } from '../routing/route-table.ts'
import type { Routing } from '../options/routing-options.ts'
import type { Serialize } from '../response/handler-result.ts'
import type { RouteMiss } from './unrouted.ts'

/** A router or group, with its handlers for failures and for paths without a route. */
export interface RouteScope {
  readonly prefix: string
  /** The error handlers, nearest first. */
  readonly errorHandlers: readonly ErrorHandler[]
  /** The nearest handler for paths without a route. */
  readonly notFoundHandler: Handler | undefined
  /** Returns the step that responds to a request without a route. */
  missStep(miss: RouteMiss): Step<RequestContext>
}

/** A registered route, ready to run. */
export interface Route {
  readonly info: RouteInfo
  /** The router or group on which it was registered. */
  readonly group: RouteScope
  readonly serialize: Serialize
  /** Runs the handler inside its middleware. */
  readonly step: Step<RequestContext>
}

interface PrefixedGroup {
  readonly prefix: readonly PatternSegment[]
  readonly group: RouteScope
}

/** Stores the routes and groups of a root router, and finds them by request. */
export class Routes {
  readonly #routing: Routing
  readonly #table: RouteTable<Route>
  readonly #groups: PrefixedGroup[] = []
  readonly #added: Route[] = []
  /** Protocols that the routes' `tunnels` options name. */
  readonly #protocols = new Set<string>()

  constructor(routing: Routing) {
    this.#routing = routing
    this.#table = new RouteTable(routing)
  }

  /**
   * Whether the path `/` in a group also matches the group's prefix without a trailing slash. A redirect needs one
   * canonical path.
   */
  get joinsGroupRoot(): boolean {
    return this.#routing.trailingSlash !== 'redirect'
  }

  /** @throws like `RouteTable.add` */
  add(method: MethodKey, pattern: string, route: Route): void {
    this.#table.add(method, pattern, route)
    this.#added.push(route)
    for (const protocol of route.info.options.tunnels ?? []) this.#protocols.add(protocol)
  }

  /** Routes in registration order. */
  get added(): readonly Route[] {
    return this.#added
  }

  /** Whether any route accepts tunnels. */
  get hasTunnels(): boolean {
    return this.#protocols.size > 0
  }

  /** Adds a route unless another one is registered for the same paths. A later `add` replaces it. */
  addImplied(method: MethodKey, pattern: string, route: Route): void {
    this.#table.add(method, pattern, route, true)
  }

  /** @throws {TypeError} if the prefix is malformed, ends with `/`, or has a wildcard or an optional parameter */
  addGroup(group: RouteScope): void {
    const prefix = parsePattern(group.prefix)
    if (prefix.some((segment) => segment.kind === 'wildcard' || (segment.kind === 'param' && segment.isOptional))) {
      const rule = 'must have neither wildcards nor optional parameters'
      throw withCode(
        'FW_INVALID_PATH',
        new TypeError(`router.group: prefix ${rule}, got ${showValue(group.prefix)}. Write them in the group's paths.`),
      )
    }
    if (prefix.at(-1)?.kind === 'literal' && group.prefix.endsWith('/')) {
      const given = showValue(group.prefix)
      throw withCode(
        'FW_INVALID_PATH',
        new TypeError(`router.group: prefix must not end with '/', got ${given}. Paths in the group start with '/'.`),
      )
    }
    this.#groups.push({ prefix: this.#routing.caseSensitive ? prefix : prefix.map(segmentWithoutCase), group })
  }

  /** @param tunnel Value of `:protocol` in lower case; `undefined` except for an extended CONNECT */
  find(method: string, target: RequestTarget, tunnel?: string): RouteMatch<Route> | RouteMiss {
    if (tunnel !== undefined) return this.#findTunnel(tunnel, target)
    if (target.form === 'authority') return { kind: 'tunnel' }
    if (target.form === 'asterisk') return { kind: 'options', allow: this.#table.methods, routes: [] }
    if (target.form === 'malformed') return { kind: 'bad-target', detail: 'The request target is malformed' }
    const found = this.#table.find(method, target.path)
    if (found.kind === 'match') return found
    if (found.kind === 'other-methods') {
      const routes = found.values.map(({ info }) => info)
      return { kind: method === 'OPTIONS' ? 'options' : 'other-methods', allow: found.allow, routes }
    }
    if (found.kind === 'other-end') {
      return {
        kind: 'other-end',
        location: target.rawQuery === '' ? found.reference : `${found.reference}?${target.rawQuery}`,
      }
    }
    if (found.kind === 'unknown') return { kind: 'not-found' }
    return { kind: 'bad-target', detail: 'The path has a malformed percent-encoding' }
  }

  /** Returns the routes of a path for every method, the best match first. */
  ofPath(path: string): readonly RouteInfo[] {
    return this.#table.valuesOf(path).map(({ info }) => info)
  }

  /** Returns the group with the longest prefix that covers a path, the first on a tie, or `undefined`. */
  groupOf(path: string): RouteScope | undefined {
    const text = decodePath(path)
    if (text === undefined) return undefined
    const segments = (this.#routing.caseSensitive ? text : withoutCase(text)).slice(1).split('/')
    let best: PrefixedGroup | undefined
    for (const candidate of this.#groups) {
      if (candidate.prefix.length <= (best?.prefix.length ?? 0)) continue
      if (coversPath(candidate.prefix, segments)) best = candidate
    }
    return best?.group
  }

  /** Finds the route that accepts an extended CONNECT: a route for GET, because HTTP/1.1 opens its tunnel with GET. */
  // docs/decisions/0110
  #findTunnel(protocol: string, target: RequestTarget): RouteMatch<Route> | RouteMiss {
    // RFC 9220 §3: the status for an unknown protocol is 501.
    if (!this.#protocols.has(protocol)) return { kind: 'tunnel' }
    const found = this.find('GET', target)
    if (found.kind !== 'match' || found.value.info.options.tunnels?.includes(protocol) === true) return found
    return { kind: 'other-methods', allow: this.#table.allowed(target.path), routes: this.ofPath(target.path) }
  }
}

/** Reports whether a path is under a prefix: `/api` covers `/api` and `/api/users`, but not `/apis`. */
function coversPath(prefix: readonly PatternSegment[], path: readonly string[]): boolean {
  if (path.length < prefix.length) return false
  return prefix.every((segment, index) => {
    const text = path[index]
    return segment.kind === 'literal' ? segment.text === text : text !== ''
  })
}
