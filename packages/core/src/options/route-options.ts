import type { RouteInfo, RouteOptions } from '@fw/types'
import {
  checkOptions,
  declaredRouteOptions,
  func,
  integer,
  listOf,
  type OptionKind,
  type OptionKinds,
  options,
  withFix,
} from '@fw/options'
import { BODY_TYPES } from './body-types.ts'
import { CHECK_RESPONSES } from './check-responses.ts'
import { isStandardSchema } from './standard-schema.ts'
import { MAX_TIMER_MS } from './timer.ts'

const MIDDLEWARE: OptionKind = { ...func, fix: fixForMiddleware }

const SCHEMA = withFix(
  { expected: 'a Standard Schema', accepts: isStandardSchema },
  'Pass a schema from a library such as zod, valibot or arktype.',
)

const ROUTE_KINDS: OptionKinds<RouteOptions> = {
  use: {
    ...MIDDLEWARE,
    expected: 'a function or a list of functions',
    accepts: (value) => Array.isArray(value) || typeof value === 'function',
    item: MIDDLEWARE,
  },
  limits: options<NonNullable<RouteOptions['limits']>>({
    maxBodyBytes: integer(0),
    maxFormFields: integer(0),
    maxFileBytes: integer(0),
  }),
  timeoutMs: integer(1, MAX_TIMER_MS),
  tunnels: withFix(
    listOf('a list of protocol names', { expected: 'a protocol name in lower case', accepts: isProtocolName }),
    "Write, for example, ['websocket'].",
  ),
  params: SCHEMA,
  query: SCHEMA,
  headers: SCHEMA,
  body: SCHEMA,
  // `responseSchemas` checks the status codes and schemas.
  response: withFix(
    {
      expected: 'an object of schemas by status or a Standard Schema',
      accepts: (value) => (typeof value === 'object' && value !== null) || isStandardSchema(value),
    },
    `Write { 200: { type: 'object', properties: {} } }.`,
  ),
  checkResponses: CHECK_RESPONSES,
  bodyTypes: BODY_TYPES,
}

/** Replacements to suggest for option names from other libraries. */
const MEANT: Readonly<Record<string, string>> = {
  middleware: 'option "use"',
  middlewares: 'option "use"',
  preHandler: 'option "use"',
  bodyLimit: 'limits: { maxBodyBytes }',
  maxBodyBytes: 'limits: { maxBodyBytes }',
  timeout: 'timeoutMs',
  querystring: 'query',
  consumes: 'bodyTypes',
  accepts: 'bodyTypes',
  schema: 'params, query, headers, body and response',
}

/** @see RFC 9110 §7.8: a token, with an optional version */
function isProtocolName(value: unknown): boolean {
  return typeof value === 'string' && /^[!#$%&'*+.^_`|~\da-z-]+(?:\/[!#$%&'*+.^_`|~\da-z-]+)?$/.test(value)
}

/** Returns the name that messages use for a route, such as `GET /users/:id`. */
export function nameOfRoute({ method, pattern }: Pick<RouteInfo, 'method' | 'pattern'>): string {
  return `${method} ${pattern}`
}

/**
 * Checks a route's options: those that this package defines, and those that other packages declare with
 * `declareRouteOption`.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type
 * @throws {RangeError} if a number is out of range
 */
export function checkRouteOptions(info: RouteInfo): void {
  // The first spread puts these names first in the list of known options. The last spread prevents other declarations
  // from replacing their kinds.
  const kinds = { ...ROUTE_KINDS, ...declaredRouteOptions(), ...ROUTE_KINDS }
  checkOptions(nameOfRoute(info), info.options, kinds, MEANT)
}

/** Returns the suggestion for a value that is not middleware. */
export function fixForMiddleware(given: unknown): string {
  if (typeof given === 'string') return `For some paths only, use router.group('${given}').`
  if (typeof given === 'object' && given !== null && 'group' in given) {
    return `Register its routes on router.group('/prefix').`
  }
  return 'Pass (ctx, next) => { … }.'
}
