import {
  checkOptions,
  flag,
  integer,
  oneOf,
  optionError,
  type OptionKind,
  type OptionKinds,
  options,
} from '@fw/options'
import type { CspPolicy } from './csp.ts'

/** Strict-Transport-Security (RFC 6797). */
export interface HstsOptions {
  /** Seconds for which browsers use only HTTPS. Default 31,536,000, a year. */
  readonly maxAgeSeconds?: number
  /** Covers all subdomains, even those on other servers. Default false. */
  readonly includeSubDomains?: boolean
  /** Permits inclusion in browsers' preload lists. Removal from the list takes months. Default false. */
  readonly preload?: boolean
  /** Also sends the field without TLS, for a server behind a proxy that terminates TLS. Default false. */
  readonly behindTlsProxy?: boolean
}

/** Origins that can use a feature: `'*'`, or a list of `'self'`, `'src'` and origins; `[]` disables the feature. */
export type AllowList = '*' | readonly string[]

/** A value of `Referrer-Policy`. */
export type ReferrerPolicy = (typeof REFERRER_POLICIES)[number]

/** Options of `securityHeaders()`. `false` removes a field that an outer `securityHeaders()` has set. */
export interface SecurityHeadersOptions {
  /** The policy for `Content-Security-Policy`, from `csp()`. None by default. */
  readonly csp?: CspPolicy | false
  /** A policy whose violations browsers report but do not block. None by default. */
  readonly cspReportOnly?: CspPolicy | false
  /** Makes browsers use HTTPS. Sent only over TLS. Default: a year. */
  readonly hsts?: HstsOptions | false
  /** Pages that can show the response in a frame, for `X-Frame-Options`. Default `'SAMEORIGIN'`. */
  readonly frame?: 'DENY' | 'SAMEORIGIN' | false
  /** The part of a page's URL that other sites see. Default `'strict-origin-when-cross-origin'`. */
  readonly referrer?: ReferrerPolicy | false
  /** Origins that can use each browser feature, such as `{ camera: [] }`. None by default. */
  readonly permissions?: Readonly<Record<string, AllowList>> | false
  /** `Cross-Origin-Opener-Policy`: which windows can reach the page. Default `'same-origin'`. */
  readonly coop?: 'same-origin' | 'same-origin-allow-popups' | 'noopener-allow-popups' | 'unsafe-none' | false
  /** `Cross-Origin-Embedder-Policy`: which resources the page can load. Off by default. */
  readonly coep?: 'require-corp' | 'credentialless' | 'unsafe-none' | false
  /** `Cross-Origin-Resource-Policy`: which sites can embed the response. Default `'same-origin'`. */
  readonly corp?: 'same-origin' | 'same-site' | 'cross-origin' | false
  /** URLs for `Reporting-Endpoints`, by endpoint name. None by default. */
  readonly reporting?: Readonly<Record<string, string>> | false
}

const REFERRER_POLICIES = [
  'no-referrer',
  'no-referrer-when-downgrade',
  'origin',
  'origin-when-cross-origin',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
] as const

/** One year, the minimum for the preload list. */
export const YEAR_SECONDS = 31_536_000

const policy: OptionKind = {
  expected: 'a policy from csp(), or false',
  accepts: (value) =>
    value === false || (typeof value === 'object' && value !== null && 'format' in value && 'usesNonce' in value),
  fix: "Write csp({ 'script-src': ['self'] }).",
}
const hsts: OptionKind = {
  ...options<HstsOptions>({ maxAgeSeconds: integer(0), includeSubDomains: flag, preload: flag, behindTlsProxy: flag }),
  expected: 'an object or false',
}
const hstsOrFalse: OptionKind = { ...hsts, accepts: (value) => value === false || hsts.accepts(value) }
const record = (accepts: (name: string, value: unknown) => boolean, expected: string, fix: string): OptionKind => ({
  expected: `${expected}, or false`,
  accepts: (value) =>
    value === false ||
    (typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(([name, each]) => accepts(name, each))),
  fix,
})

const FEATURE = /^[a-z][a-z\d-]*$/
/** A key of a structured field (RFC 9651 §3.2). */
const KEY = /^[a-z*][a-z\d_.*-]*$/
/** Matches a URL or origin for a quoted string, without characters that could end the string or the field. */
const ADDRESS = /^[!#-+\--:<-[\]-~]+$/

const KINDS: OptionKinds<SecurityHeadersOptions> = {
  csp: policy,
  cspReportOnly: policy,
  hsts: hstsOrFalse,
  frame: oneOf('DENY', 'SAMEORIGIN', false),
  referrer: oneOf(...REFERRER_POLICIES, false),
  permissions: record(
    (name, value) =>
      FEATURE.test(name) &&
      (value === '*' ||
        (Array.isArray(value) && value.every((each) => typeof each === 'string' && ADDRESS.test(each)))),
    'an object of features with "*" or lists of origins',
    "Write, for example, { camera: [], geolocation: ['self'] }.",
  ),
  coop: oneOf('same-origin', 'same-origin-allow-popups', 'noopener-allow-popups', 'unsafe-none', false),
  coep: oneOf('require-corp', 'credentialless', 'unsafe-none', false),
  corp: oneOf('same-origin', 'same-site', 'cross-origin', false),
  reporting: record(
    (name, value) => KEY.test(name) && typeof value === 'string' && ADDRESS.test(value),
    'an object of URLs by endpoint name',
    "Write, for example, { default: 'https://reports.example.org/' }.",
  ),
}

/** Option names from other libraries, and their replacements. */
const MEANT: Readonly<Record<string, string>> = {
  contentSecurityPolicy: 'csp',
  strictTransportSecurity: 'hsts',
  xFrameOptions: 'frame',
  frameguard: 'frame',
  referrerPolicy: 'referrer',
  permissionsPolicy: 'permissions',
  crossOriginOpenerPolicy: 'coop',
  crossOriginEmbedderPolicy: 'coep',
  crossOriginResourcePolicy: 'corp',
  reportingEndpoints: 'reporting',
  'hsts.maxAge': 'hsts.maxAgeSeconds',
}

/** @throws {TypeError | RangeError} that names the invalid option */
export function checkSecurityHeaders(given: SecurityHeadersOptions): void {
  checkOptions('securityHeaders', given, KINDS, MEANT)
  const { hsts: transport } = given
  if (typeof transport !== 'object' || transport.preload !== true) return
  const { maxAgeSeconds = YEAR_SECONDS, includeSubDomains } = transport
  if (includeSubDomains === true && maxAgeSeconds >= YEAR_SECONDS) return
  throw optionError({
    api: 'securityHeaders',
    name: 'hsts.preload',
    expected: 'false without includeSubDomains and a year',
    got: 'true',
    fix: 'Set includeSubDomains: true, and maxAgeSeconds to at least 31,536,000.',
  })
}
