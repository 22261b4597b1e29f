import type { Middleware } from '@fw/core'

/** The page loads all files from this server and runs no inline scripts. */
const CONTENT_SECURITY_POLICY: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const FIELDS = [
  ['content-security-policy', CONTENT_SECURITY_POLICY],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'same-origin'],
  ['cross-origin-opener-policy', 'same-origin'],
] as const

/** Sets the page's security header fields. Other applications under `/files/` can set their own policy. */
export const pagePolicy: Middleware = (ctx, next) => {
  if (!ctx.path.startsWith('/files/')) for (const [name, value] of FIELDS) ctx.responseHeaders.set(name, value)
  return next()
}
