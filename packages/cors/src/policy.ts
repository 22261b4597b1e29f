import type { Context, FieldList } from '@fw/types'
import type { CorsOptions, OriginCheck } from './options.ts'

/** Request fields that a preflight response depends on. */
const PREFLIGHT_VARY = ['origin', 'access-control-request-method', 'access-control-request-headers']

/** Compiled options. */
export interface CorsPolicy {
  /** Whether the response depends on `Origin`. */
  readonly variesByOrigin: boolean
  /** Names in the `Vary` field of a preflight response. */
  readonly preflightVary: readonly string[]
  /** Reports whether pages from the origin can read the response. */
  readonly allows: (origin: string, ctx: Context) => boolean | Promise<boolean>
  /** Returns the CORS fields for a response that pages from an allowed origin can read. */
  readonly fieldsFor: (origin: string | null) => FieldList
  /** Fields for an allowed preflight, in addition to `access-control-allow-origin`. */
  readonly preflightFields: FieldList
  /** Value of `access-control-allow-methods`; `undefined` for the methods of the path's routes. */
  readonly methods: string | undefined
  /** Whether a preflight allows every field that it names. */
  readonly allowsAnyField: boolean
  readonly privateNetwork: boolean
}

/** Compiles checked options. */
export function compilePolicy(options: CorsOptions): CorsPolicy {
  const { origins, methods = 'routes', requestHeaders = 'any', privateNetwork = false } = options
  const credentials = options.credentials === true ? ['access-control-allow-credentials', 'true'] : []
  const exposed = options.exposedHeaders ?? []
  const readable = exposed.length > 0 ? ['access-control-expose-headers', exposed.join(', ')] : []
  const rest = [...credentials, ...readable]
  const allowedFields = requestHeaders === 'any' ? '' : requestHeaders.join(', ')
  return {
    variesByOrigin: origins !== '*',
    preflightVary: privateNetwork ? [...PREFLIGHT_VARY, 'access-control-request-private-network'] : PREFLIGHT_VARY,
    ...(origins === '*' ? everyOrigin(rest) : someOrigins(origins, options.allowNullOrigin === true, rest)),
    preflightFields: Object.freeze([
      ...credentials,
      'access-control-max-age',
      String(options.maxAgeSeconds ?? 600),
      ...(allowedFields === '' ? [] : ['access-control-allow-headers', allowedFields]),
    ]),
    methods: methods === 'routes' ? undefined : methods.join(', '),
    allowsAnyField: requestHeaders === 'any',
    privateNetwork,
  }
}

type ByOrigin = Pick<CorsPolicy, 'allows' | 'fieldsFor'>

function everyOrigin(rest: FieldList): ByOrigin {
  const fields = Object.freeze(['access-control-allow-origin', '*', ...rest])
  return { allows: () => true, fieldsFor: () => fields }
}

function someOrigins(origins: readonly string[] | OriginCheck, allowsNull: boolean, rest: FieldList): ByOrigin {
  const fieldsFor = (origin: string): FieldList =>
    Object.freeze(['vary', 'origin', 'access-control-allow-origin', origin, ...rest])
  const refused = Object.freeze(['vary', 'origin'])
  if (typeof origins === 'function') {
    return {
      allows: (origin, ctx) => (origin === 'null' && !allowsNull ? false : origins(origin, ctx)),
      fieldsFor: (origin) => (origin === null ? refused : fieldsFor(origin)),
    }
  }
  const listed = allowsNull ? [...origins, 'null'] : origins
  // One list per origin, shared by all responses to that origin.
  const byOrigin = new Map(listed.map((origin) => [origin, fieldsFor(origin)]))
  return {
    allows: (origin) => byOrigin.has(origin),
    fieldsFor: (origin) => (origin === null ? undefined : byOrigin.get(origin)) ?? refused,
  }
}
