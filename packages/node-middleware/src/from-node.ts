import type { IncomingMessage, ServerResponse } from 'node:http'
import { showType, withCode } from '@fw/options'
import type { Context, ContextKey, Next } from '@fw/types'
import { type AnyNodeHandler, NodeCall, type NodeNext } from './node-call.ts'
import { NodeResponse } from './node-response.ts'

/** Middleware of Express or Connect. */
export type NodeMiddleware = (request: IncomingMessage, response: ServerResponse, next: NodeNext) => unknown

/** Middleware whose parameters have types of another library, such as `express.RequestHandler`. */
export type ForeignMiddleware = (request: never, response: never, next: never) => unknown

/** Middleware for `router.use()` and for the route option `use`, and a handler for routes. */
export type FromNode = (ctx: Context, next?: Next) => unknown

const RESPONSE: ContextKey<NodeResponse> = Object.freeze({ name: 'NodeResponse', hint: undefined })

/**
 * Runs middleware of Express or Connect, `(req, res, next)`, or a `node:http` handler, `(req, res)`. The fields that it sets are
 * fields of the response that the fw handler prepares. If it responds itself, the inner middleware and the handler do not run.
 *
 * `next(error)` throws the error, so that the error handlers of the router receive it.
 *
 * @throws {TypeError} if `handler` is not a function, or has four parameters, as error handlers of Express have
 *
 * @example
 * router.use(fromNode(helmet()))
 *
 * @example
 * router.post('/upload', { use: fromNode(upload.single('photo')) }, (ctx) => nodeRequest(ctx).file?.size)
 */
export function fromNode(handler: NodeMiddleware): FromNode
/** Runs middleware whose parameters have types of another library, such as those of Express. */
export function fromNode(handler: ForeignMiddleware): FromNode
export function fromNode(handler: NodeMiddleware | ForeignMiddleware): FromNode {
  checkHandler(handler)
  return (ctx, next) => new NodeCall(ctx, responseOf(ctx), next).run(handler as AnyNodeHandler)
}

declare global {
  // The types of Express middleware, such as `@types/express-session`, add members to these interfaces.
  // oxlint-disable-next-line typescript/no-namespace -- only a namespace merges with the one of those types
  namespace Express {
    // oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- other types add members
    interface Request {}
    // oxlint-disable-next-line typescript/no-empty-interface, typescript/no-empty-object-type -- other types add members
    interface Response {}
  }
}

/** The request that middleware receives, with the members that the types of middleware declare. */
export interface MiddlewareRequest extends IncomingMessage, Express.Request {}

/** The response that middleware receives, with the members that the types of middleware declare. */
export interface MiddlewareResponse extends ServerResponse, Express.Response {}

/**
 * Returns the request that middleware receives for this context, for example to read `session` or `user`. All middleware of a
 * request shares it. The types of the middleware declare the members that it adds.
 */
export function nodeRequest(ctx: Context): MiddlewareRequest {
  return responseOf(ctx).req as unknown as MiddlewareRequest
}

/** Returns the response that middleware receives for this context, for example to call what middleware added to it. */
export function nodeResponse(ctx: Context): MiddlewareResponse {
  return responseOf(ctx) as unknown as MiddlewareResponse
}

function responseOf(ctx: Context): NodeResponse {
  const before = ctx.get(RESPONSE)
  if (before !== null) return before
  const response = new NodeResponse(ctx)
  ctx.set(RESPONSE, response)
  return response
}

function checkHandler(handler: unknown): void {
  if (typeof handler !== 'function') {
    throw withCode(
      'FW_INVALID_HANDLER',
      new TypeError(`fromNode: handler must be a function, got ${showType(handler)}. Pass (req, res, next) => { … }.`),
    )
  }
  if (handler.length > 3) {
    throw withCode(
      'FW_INVALID_HANDLER',
      new TypeError(
        `fromNode: handler must have at most 3 parameters, got ${handler.length}. Handle errors with router.onError().`,
      ),
    )
  }
}
