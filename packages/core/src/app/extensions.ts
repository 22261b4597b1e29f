import type { Context, Router } from '@fw/types'
import { RequestContext } from '../context/context.ts'
import { RouteGroup } from './router.ts'

interface Installed {
  readonly owner: string
  readonly method: unknown
}

/** A class that methods can be added to. */
interface Target {
  readonly name: string
  readonly prototype: object
  /** Members that the prototype does not show. */
  readonly fields: readonly string[]
  /** The method that stands in for one to be installed. */
  readonly reserved: string
  readonly installed: Map<string, Installed>
}

const CONTEXT: Target = {
  name: 'Context',
  prototype: RequestContext.prototype,
  fields: ['exchange', 'params', 'prepared', 'route', 'valid'],
  reserved: 'sse',
  installed: new Map(),
}

const ROUTER: Target = {
  name: 'Router',
  prototype: RouteGroup.prototype,
  fields: ['prefix', 'get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'all'],
  reserved: 'staticFiles',
  installed: new Map(),
}

/**
 * Adds a method to every `Context`. For the `register` entries of packages; applications call functions.
 *
 * Installing the same method again does nothing.
 *
 * @param owner The package that installs it
 * @throws {Error} if the name is taken: by a member of `Context`, another package or another copy of this one
 *
 * @example
 * extendContext('sse', '@fw/sse', function (options?: SseOptions) { return sse(this, options) })
 */
export function extendContext(name: string, owner: string, method: (this: Context, ...args: never[]) => unknown): void {
  install(CONTEXT, name, { owner, method })
}

/** Adds a method to every `Router`; otherwise as `extendContext`. */
export function extendRouter(name: string, owner: string, method: (this: Router, ...args: never[]) => unknown): void {
  install(ROUTER, name, { owner, method })
}

function install(target: Target, name: string, { owner, method }: Installed): void {
  const { installed, prototype, fields, reserved } = target
  const before = installed.get(name)
  if (before !== undefined) {
    if (before.owner !== owner) throw new Error(`Cannot add ${name}() to ${target.name}: ${before.owner} has added it`)
    if (before.method === method) return
    throw new Error(`Cannot add ${name}() to ${target.name}: two copies of ${owner} are loaded; see 'npm ls ${owner}'`)
  }
  if (name !== reserved && (name in prototype || fields.includes(name))) {
    throw new Error(`Cannot add ${name}() to ${target.name}: it has a member of that name`)
  }
  installed.set(name, { owner, method })
  Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true })
}
