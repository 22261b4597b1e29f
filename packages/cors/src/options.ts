import { checkOptions, flag, integer, origin, optionError, type OptionKind, type OptionKinds } from '@fw/options'
import type { Context } from '@fw/types'
import { isToken } from './tokens.ts'

/**
 * Decides whether pages from an origin can read a response. Only `true` allows the origin. Receives `null` only with
 * `allowNullOrigin`.
 */
export type OriginCheck = (origin: string, ctx: Context) => boolean | Promise<boolean>

/** Options for `cors()`, and for the route option `cors`. */
export interface CorsOptions {
  /**
   * Origins whose pages can read responses: a list of exact origins, a function, or `'*'` for every page without credentials.
   */
  readonly origins: readonly string[] | '*' | OriginCheck
  /** Lets pages send cookies and other credentials, and read the response. Default false. */
  readonly credentials?: boolean
  /** Methods that a preflight allows. Default `'routes'`: the methods that the path has routes for. */
  readonly methods?: 'routes' | readonly string[]
  /** Request fields that a preflight allows. Default `'any'`: the fields that it names, up to 64 in 2 KiB. */
  readonly requestHeaders?: 'any' | readonly string[]
  /** Response fields that pages can read, in addition to the safelisted ones. Default `[]`. */
  readonly exposedHeaders?: readonly string[]
  /** Seconds for which a browser keeps the result of a preflight; Chromium limits it to 7,200. Default 600. */
  readonly maxAgeSeconds?: number
  /**
   * Lets pages on public sites send requests to a server in a private network, if the preflight requests it. Default
   * false.
   */
  readonly privateNetwork?: boolean
  /**
   * Treats the origin `null` as if it were in the list. Any site can send it, from a sandboxed frame. Default false.
   */
  readonly allowNullOrigin?: boolean
}

const LIST_ORIGINS = "List the origins, such as ['https://app.example.org']."

const listedOrigin: OptionKind = {
  ...origin,
  fix: (value) => {
    if (value === 'null') return 'Use allowNullOrigin: true.'
    if (value === '*') return 'Write origins: "*".'
    if (typeof value === 'string' && value.includes('*')) return 'Pass a function (origin) => boolean for patterns.'
    return typeof origin.fix === 'function' ? origin.fix(value) : origin.fix
  },
}

const token: OptionKind = {
  expected: 'a field name',
  accepts: (value) => typeof value === 'string' && isToken(value),
  fix: 'Write, for example, "content-type".',
}

const method: OptionKind = {
  expected: 'a method in upper case',
  accepts: (value) => typeof value === 'string' && isToken(value) && value !== '*' && value === value.toUpperCase(),
  fix: (value) =>
    `Write "${typeof value === 'string' && isToken(value) && value !== '*' ? value.toUpperCase() : 'PUT'}".`,
}

/** Kinds of all options. */
export const CORS_KINDS: OptionKinds<CorsOptions> = {
  origins: {
    expected: 'a list of origins, "*" or a function',
    accepts: (value) => Array.isArray(value) || value === '*' || typeof value === 'function',
    item: listedOrigin,
    fix: LIST_ORIGINS,
  },
  credentials: flag,
  methods: {
    expected: '"routes" or a list of methods',
    accepts: (value) => value === 'routes' || Array.isArray(value),
    item: method,
  },
  requestHeaders: {
    expected: '"any" or a list of field names',
    accepts: (value) => value === 'any' || Array.isArray(value),
    item: token,
  },
  exposedHeaders: { expected: 'a list of field names', accepts: Array.isArray, item: token },
  maxAgeSeconds: integer(0),
  privateNetwork: flag,
  allowNullOrigin: flag,
}

/** Option names from other libraries, and their replacements. */
const MEANT: Readonly<Record<string, string>> = {
  origin: 'origins',
  allowMethods: 'methods',
  allowHeaders: 'requestHeaders',
  allowedHeaders: 'requestHeaders',
  exposeHeaders: 'exposedHeaders',
  maxAge: 'maxAgeSeconds',
  allowPrivateNetwork: 'privateNetwork',
}

/** A combination of options that would let pages from every site read a user's responses. */
interface Conflict {
  readonly name: string
  readonly expected: string
  readonly got: string
  readonly fix: string
}

/** Returns the conflict between options whose values are valid separately. */
export function conflictOf({ origins, credentials, allowNullOrigin }: Partial<CorsOptions>): Conflict | undefined {
  if (origins === undefined) {
    return { name: 'origins', expected: CORS_KINDS.origins.expected, got: 'undefined', fix: LIST_ORIGINS }
  }
  if (credentials !== true) return undefined
  // Every site could read its visitors' responses: browsers refuse "*", and reflecting any origin has the same effect.
  if (origins === '*')
    return { name: 'credentials', expected: 'false with origins "*"', got: 'true', fix: LIST_ORIGINS }
  if (allowNullOrigin !== true) return undefined
  const fix = 'Give the page an origin.'
  return { name: 'credentials', expected: 'false with allowNullOrigin', got: 'true', fix }
}

/** @throws {TypeError | RangeError} that names the invalid option */
export function checkCorsOptions(api: string, options: CorsOptions): void {
  checkOptions(api, options, CORS_KINDS, MEANT)
  const conflict = conflictOf(options)
  if (conflict !== undefined) throw optionError({ api, ...conflict })
}
