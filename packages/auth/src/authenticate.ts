import { HttpError, withCode } from '@fw/options'
import { addVary } from '@fw/http-fields'
import type { Context, ContextKey, Middleware, Next } from '@fw/types'
import { checkPrincipal, Principal, type Verified } from './principal.ts'

/** A way in which clients prove their identity. */
export interface Scheme<Credentials> {
  /** The function that the application called; error messages begin with it. */
  readonly api: string
  /** Whether requests without credentials pass. They then have no principal. */
  readonly isOptional: boolean
  /** Value of `www-authenticate` for a request without credentials. */
  readonly challenge: string
  /** Value of `www-authenticate` for a request whose credentials are refused. */
  readonly refusal: string
  /** Returns the credentials in a request; `undefined` if there are none. */
  read(ctx: Context): Credentials | undefined
  verify(credentials: Credentials, ctx: Context): Verified | Promise<Verified>
}

/** The challenge of the authentication scheme, for a later 401 response to the same request. */
export const Challenge: ContextKey<string> = { name: 'Challenge', hint: undefined }

/** Creates middleware that stores the principal of each request. Refuses requests with invalid credentials with 401. */
export function authenticate<Credentials>(scheme: Scheme<Credentials>): Middleware {
  const { api, isOptional, challenge, refusal } = scheme
  const verify = async (credentials: Credentials, ctx: Context, next: Next): Promise<void> => {
    const principal = checkPrincipal(api, await scheme.verify(credentials, ctx))
    if (principal === null) throw unauthorized('The credentials are not valid', refusal)
    ctx.set(Principal, principal)
    return next()
  }
  return (ctx, next) => {
    ctx.set(Challenge, challenge)
    const credentials = scheme.read(ctx)
    if (credentials !== undefined) return verify(credentials, ctx, next)
    if (isOptional) return next()
    throw unauthorized('The request has no credentials', challenge)
  }
}

/** Returns a 401 with a challenge, which RFC 9110 §15.5.2 requires. */
export function unauthorized(message: string, challenge: string): HttpError {
  return withCode('FW_UNAUTHENTICATED', new HttpError(401, message, { 'www-authenticate': challenge }))
}

/**
 * Returns the credentials that follow the scheme name in the `Authorization` field; `undefined` if the field is absent
 * or names a different scheme. Adds `Vary`. Compares the scheme name case-insensitively (RFC 9110 §11.1).
 *
 * @throws {HttpError} 400 if the field is repeated, because two parts of an application could trust different values
 */
export function credentialsOf({ headers, responseHeaders }: Context, scheme: string): string | undefined {
  // RFC 9111 §3.5 only prevents shared caches from storing responses to requests with credentials. Without `Vary`, a response
  // to a request without credentials could be reused for a request with them.
  addVary(responseHeaders, 'authorization')
  const values = headers.getAll('authorization')
  if (values.length > 1) {
    throw withCode('FW_MALFORMED_CREDENTIALS', new HttpError(400, 'The request has more than one Authorization field'))
  }
  const [value = ''] = values
  const space = value.indexOf(' ')
  const name = space === -1 ? value : value.slice(0, space)
  if (name.toLowerCase() !== scheme.toLowerCase()) return undefined
  return space === -1 ? '' : value.slice(space + 1).trim()
}
