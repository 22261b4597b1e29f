import type { FieldList, Middleware } from '@fw/types'
import type { CspPolicy } from './csp.ts'
import { createNonce, CspNonce, type NonceField } from './csp-nonce.ts'
import {
  type AllowList,
  checkSecurityHeaders,
  type HstsOptions,
  type SecurityHeadersOptions,
  YEAR_SECONDS,
} from './options.ts'

/**
 * Creates middleware that sets header fields that protect a page's users. A handler's value replaces the middleware's,
 * and an inner `securityHeaders()` replaces an outer one's.
 *
 * @throws {TypeError | RangeError} that names the unknown or invalid option
 *
 * @example
 * router.use(securityHeaders({ csp: csp({ 'script-src': ['self', CspNonce], 'object-src': ['none'] }) }))
 */
export function securityHeaders(options: SecurityHeadersOptions = {}): Middleware {
  checkSecurityHeaders(options)
  const all = fieldsOf(options)
  const hsts = options.hsts === false ? undefined : hstsValue(options.hsts ?? {})
  const alwaysHsts = typeof options.hsts === 'object' && options.hsts.behindTlsProxy === true
  const overTls = listOf(hsts === undefined ? all : [...all, ['strict-transport-security', hsts]])
  const overCleartext = alwaysHsts ? overTls : listOf(all)
  const removed = removedNames(options)
  const nonceFields = nonceFieldsOf(options)
  return (ctx, next) => {
    const { responseHeaders } = ctx
    for (const name of removed) responseHeaders.delete(name)
    responseHeaders.setAll(ctx.scheme === 'https' ? overTls : overCleartext)
    if (nonceFields.length > 0) ctx.provide(CspNonce, () => createNonce(ctx, nonceFields))
    return next()
  }
}

type Field = readonly [name: string, value: string]

const POLICY = 'content-security-policy'
const REPORT_ONLY = 'content-security-policy-report-only'

/** The field names for options that can be `false`. */
const NAMES = {
  csp: POLICY,
  cspReportOnly: REPORT_ONLY,
  hsts: 'strict-transport-security',
  frame: 'x-frame-options',
  referrer: 'referrer-policy',
  permissions: 'permissions-policy',
  coop: 'cross-origin-opener-policy',
  coep: 'cross-origin-embedder-policy',
  corp: 'cross-origin-resource-policy',
  reporting: 'reporting-endpoints',
} as const satisfies Record<keyof SecurityHeadersOptions, string>

/** Returns the fields for all responses, without Strict-Transport-Security. */
function fieldsOf(options: SecurityHeadersOptions): Field[] {
  const { csp, cspReportOnly, permissions, reporting } = options
  const values: Partial<Record<keyof typeof NAMES, string | false | undefined>> = {
    csp: csp && csp.format(),
    cspReportOnly: cspReportOnly && cspReportOnly.format(),
    frame: options.frame ?? 'SAMEORIGIN',
    // Do not default to no-referrer: pages would then post to themselves with `Origin: null`.
    referrer: options.referrer ?? 'strict-origin-when-cross-origin',
    permissions: permissions && Object.entries(permissions).map(permission).join(', '),
    coop: options.coop ?? 'same-origin',
    coep: options.coep,
    corp: options.corp ?? 'same-origin',
    reporting:
      reporting &&
      Object.entries(reporting)
        .map(([name, url]) => `${name}="${url}"`)
        .join(', '),
  }
  const fields: Field[] = [['x-content-type-options', 'nosniff']]
  for (const [option, value] of Object.entries(values)) {
    if (typeof value === 'string' && value !== '') fields.push([NAMES[option as keyof typeof NAMES], value])
  }
  return fields
}

/** Returns a list that all responses share. */
function listOf(fields: readonly Field[]): FieldList {
  return Object.freeze(fields.flat())
}

function hstsValue({ maxAgeSeconds = YEAR_SECONDS, includeSubDomains, preload }: HstsOptions): string {
  const subdomains = includeSubDomains === true ? '; includeSubDomains' : ''
  return `max-age=${maxAgeSeconds}${subdomains}${preload === true ? '; preload' : ''}`
}

/** Formats a member of Permissions-Policy, such as `geolocation=(self "https://maps.example")`. */
function permission([feature, allowed]: readonly [string, AllowList]): string {
  if (typeof allowed === 'string') return `${feature}=${allowed}`
  const members = allowed.map((each) => (each === 'self' || each === 'src' ? each : `"${each}"`))
  return `${feature}=(${members.join(' ')})`
}

function removedNames(options: SecurityHeadersOptions): readonly string[] {
  return Object.entries(NAMES)
    .filter(([option]) => options[option as keyof typeof NAMES] === false)
    .map(([, name]) => name)
}

function nonceFieldsOf({ csp, cspReportOnly }: SecurityHeadersOptions): readonly NonceField[] {
  return [nonceField(POLICY, csp), nonceField(REPORT_ONLY, cspReportOnly)].filter((field) => field !== undefined)
}

function nonceField(name: string, policy: CspPolicy | false | undefined): NonceField | undefined {
  if (policy === undefined || policy === false || !policy.usesNonce) return undefined
  return { name, withoutNonce: policy.format(), withNonce: policy.format }
}
