import { showType, withCode } from '@fw/options'
import type { ContextKey } from '@fw/types'

/** The authenticated client that sent a request. */
export interface Principal {
  /** ID of the client, such as a user ID or the name of a service. */
  readonly id: string
  /** Names of the actions that the client may perform; `requireScope` compares them. Default none. */
  readonly scopes?: readonly string[] | undefined
  /** Other facts about the client, such as the claims of its token. Default none. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** The client of a request, for `ctx.get()` and `ctx.local()`. `null` if the request has no credentials. */
export const Principal: ContextKey<Principal> = {
  name: 'Principal',
  hint: 'add router.use(bearer({ verify })) or other authentication before this route',
}

/** The result of a credential check: the client, or `null` to refuse the credentials. */
export type Verified = Principal | null | undefined

/**
 * Checks the result of a `verify` function.
 *
 * @throws {TypeError} if the result is neither a principal nor `null`. For example, `true` does not identify the
 * client
 */
export function checkPrincipal(api: string, result: unknown): Principal | null {
  if (result === null || result === undefined) return null
  const id: unknown = typeof result === 'object' ? Reflect.get(result, 'id') : undefined
  if (typeof id === 'string' && id !== '') return result as Principal
  const message = `${api}: verify must return a principal with an id, or null, got ${showType(result)}.`
  throw withCode('FW_INVALID_RETURN', new TypeError(`${message} Write, for example, { id: user.id }.`))
}
