import { HttpError, withCode } from '@fw/options'
import { addVary } from '@fw/http-fields'
import type { Context, ContextKey, Middleware } from '@fw/types'
import { checkPrincipal, Principal, type Verified } from './principal.ts'

/** One way in which clients prove who they are. */
export interface Scheme<Credentials> {
  /** The function that the program called; begins the messages of errors. */
  readonly api: string
  /** Passes requests without credentials, which then have no principal. */
  readonly isOptional: boolean
  /** Value of `www-authenticate` for a request without credentials. */
  readonly challenge: string
  /** Value of `www-authenticate` for a request whose credentials are refused. */
  readonly refusal: string
  /** Returns the credentials of a request; `undefined` without any. */
  read(ctx: Context): Credentials | undefined
  verify(credentials: Credentials, ctx: Context): Verified | Promise<Verified>
}

/** The challenge of the scheme that a request passed, for a later 401. */
export const Challenge: ContextKey<string> = { name: 'Challenge', hint: undefined }

/** Creates middleware that stores the principal of each request, and refuses requests with 401. */
export function authenticate<Credentials>(scheme: Scheme<Credentials>): Middleware {
  const { api, isOptional, challenge, refusal } = scheme
  return async (ctx, next) => {
    ctx.set(Challenge, challenge)
    const credentials = scheme.read(ctx)
    if (credentials === undefined) {
      if (isOptional) return next()
      throw unauthorized('The request has no credentials', challenge)
    }
    const principal = checkPrincipal(api, await scheme.verify(credentials, ctx))
    if (principal === null) throw unauthorized('The credentials are not valid', refusal)
    ctx.set(Principal, principal)
    return next()
  }
}

/** Returns a 401 with a challenge, which RFC 9110 §15.5.2 requires. */
export function unauthorized(message: string, challenge: string): HttpError {
  return withCode('FW_UNAUTHENTICATED', new HttpError(401, message, { 'www-authenticate': challenge }))
}

/**
 * Returns the credentials of the `Authorization` field after the name of a scheme; `undefined` without the field, or for
 * another scheme. Adds `Vary`. Letter case does not matter in the name (RFC 9110 §11.1).
 *
 * @throws {HttpError} 400 if the field is repeated. Two parts of a program could then trust different values
 */
export function credentialsOf({ headers, responseHeaders }: Context, scheme: string): string | undefined {
  // RFC 9111 §3.5 only keeps responses with credentials out of shared caches, not those without out of later requests.
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
