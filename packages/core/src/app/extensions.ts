import { withCode } from '@fw/options'
import type { Context, Router } from '@fw/types'
import { RequestContext } from '../context/context.ts'
import { RouteGroup } from './router.ts'

interface Installed {
  readonly owner: string
  readonly method: unknown
}

/** A class to which methods can be added. */
interface Target {
  readonly name: string
  readonly prototype: object
  /** Names of members that are not on the prototype. */
  readonly fields: readonly string[]
  /** Name of the placeholder method that an extension can replace. */
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
 * Adds a method to every `Context`. Intended for the `register` entries of packages; applications should call functions.
 *
 * Adding the same method again has no effect.
 *
 * @param owner Name of the package that adds it
 * @throws {Error} if `Context` has a member `name`, or another package or another copy of `owner` added one
 *
 * @example
 * extendContext('sse', '@fw/sse', function (options?: SseOptions) { return sse(this, options) })
 */
export function extendContext(name: string, owner: string, method: (this: Context, ...args: never[]) => unknown): void {
  install(CONTEXT, name, { owner, method })
}

/** Adds a method to every `Router`. Like `extendContext`, but for routers and groups. */
export function extendRouter(name: string, owner: string, method: (this: Router, ...args: never[]) => unknown): void {
  install(ROUTER, name, { owner, method })
}

function install(target: Target, name: string, { owner, method }: Installed): void {
  const { installed, prototype, fields, reserved } = target
  const before = installed.get(name)
  if (before !== undefined) {
    if (before.owner !== owner) {
      throw withCode(
        'FW_DUPLICATE_EXTENSION',
        new Error(
          `Cannot add ${name}() to ${target.name}: ${before.owner} already added it. Import only one of the two packages.`,
        ),
      )
    }
    if (before.method === method) return
    throw withCode(
      'FW_DUPLICATE_EXTENSION',
      new Error(
        `Cannot add ${name}() to ${target.name}: two copies of ${owner} are loaded. Run 'npm ls ${owner}', and remove one.`,
      ),
    )
  }
  if (name !== reserved && (name in prototype || fields.includes(name))) {
    throw withCode(
      'FW_DUPLICATE_EXTENSION',
      new Error(
        `Cannot add ${name}() to ${target.name}: ${target.name} already has a member with that name. Choose another name.`,
      ),
    )
  }
  installed.set(name, { owner, method })
  Object.defineProperty(prototype, name, { value: method, configurable: true, writable: true })
}
