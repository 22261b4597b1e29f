import { addVary } from '@fw/http-fields'
import type { Context, Middleware, Next, ResponseFilter } from '@fw/types'
import { checkCorsOptions, type CorsOptions } from './options.ts'
import { compilePolicy, type CorsPolicy } from './policy.ts'
import { routePolicies } from './route-option.ts'
import { methodsOf, targetedRoute } from './targeted-route.ts'
import { requestedFields } from './tokens.ts'

const ALLOW_METHODS = 'access-control-allow-methods'

/**
 * Adds `Origin` again after a handler has replaced `Vary`. Without `Origin`, a cache could confuse the responses for two
 * origins.
 */
const keepVary: ResponseFilter = ({ headers }) => {
  if (headers.get('vary') !== 'origin') addVary(headers, 'origin')
}

/**
 * Creates middleware that allows pages from other origins to read responses and answers their preflight requests.
 *
 * Use it before middleware that can refuse a request, because a page can read a refusal only if it has the CORS fields.
 * `cors()` itself does not refuse requests, because CORS is not access control.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 * @see Fetch §3.3
 *
 * @example
 * router.use(cors({ origins: ['https://app.example.org'], credentials: true }))
 */
export function cors(options: CorsOptions): Middleware {
  checkCorsOptions('cors', options)
  const policyOf = routePolicies(compilePolicy(options))
  return (ctx, next) => {
    const { headers } = ctx
    const origin = headers.get('origin')
    if (origin !== null && ctx.method === 'OPTIONS') {
      const method = headers.get('access-control-request-method')
      if (method !== null && method !== '') return preflight(ctx, next, origin, method, policyOf)
    }
    const policy = policyOf(ctx.route)
    if (policy === undefined) {
      forget(ctx)
      return next()
    }
    return decide(ctx, policy, origin, (allowed) => {
      respond(ctx, policy, allowed ? origin : null)
      return next()
    })
  }
}

/** Calls `then` with the decision about an origin: immediately, or when the promise of the application's function resolves. */
function decide<T>(
  ctx: Context,
  policy: CorsPolicy,
  origin: string | null,
  then: (allowed: boolean) => T,
): T | Promise<T> {
  const allowed: unknown = origin === null ? false : policy.allows(origin, ctx)
  if (typeof allowed === 'object' && allowed !== null) {
    return Promise.resolve(allowed).then((later: unknown) => then(later === true))
  }
  return then(allowed === true)
}

/** Sets the fields before the handler runs, so that errors, streams and event streams include them. */
function respond(ctx: Context, policy: CorsPolicy, origin: string | null): void {
  const { responseHeaders } = ctx
  forget(ctx)
  const before = policy.variesByOrigin ? responseHeaders.get('vary') : null
  responseHeaders.setAll(policy.fieldsFor(origin))
  if (!policy.variesByOrigin) return
  if (before !== null) {
    responseHeaders.set('vary', before)
    addVary(responseHeaders, 'origin')
  }
  ctx.filterResponse(keepVary)
}

/** Removes the fields with which an outer `cors()` allows the origin. */
function forget({ responseHeaders }: Context): void {
  if (!responseHeaders.has('access-control-allow-origin')) return
  for (const name of ['origin', 'credentials'] as const) responseHeaders.delete(`access-control-allow-${name}`)
  responseHeaders.delete('access-control-expose-headers')
}

function preflight(
  ctx: Context,
  next: Next,
  origin: string,
  method: string,
  policyOf: ReturnType<typeof routePolicies>,
): unknown {
  const { pathRoutes } = ctx
  const policy = policyOf(targetedRoute(pathRoutes, method))
  if (policy === undefined) return next()
  return decide(ctx, policy, origin, (allowed) => {
    addVary(ctx.responseHeaders, ...policy.preflightVary)
    if (allowed) allowPreflight(ctx, policy, origin)
    // The OPTIONS handler, or the handler for paths without a route, sets the methods.
    if (policy.methods === undefined && (pathRoutes.length === 0 || ctx.route?.method === 'OPTIONS')) {
      return allowed ? next().then(() => copyAllow(ctx)) : next()
    }
    if (allowed) ctx.responseHeaders.set(ALLOW_METHODS, policy.methods ?? methodsOf(pathRoutes, method))
    return ctx.empty(204)
  })
}

function copyAllow({ headSent, responseHeaders }: Context): void {
  const allow = responseHeaders.get('allow')
  if (allow !== null && !headSent && !responseHeaders.has(ALLOW_METHODS)) responseHeaders.set(ALLOW_METHODS, allow)
}

function allowPreflight(ctx: Context, policy: CorsPolicy, origin: string): void {
  const { headers, responseHeaders } = ctx
  responseHeaders.set('access-control-allow-origin', policy.variesByOrigin ? origin : '*')
  responseHeaders.setAll(policy.preflightFields)
  const asked = policy.allowsAnyField ? headers.get('access-control-request-headers') : null
  const fields = asked === null ? undefined : requestedFields(asked)
  if (fields !== undefined && fields !== '') responseHeaders.set('access-control-allow-headers', fields)
  if (policy.privateNetwork && headers.get('access-control-request-private-network') === 'true') {
    responseHeaders.set('access-control-allow-private-network', 'true')
  }
}
