import { checkOptions, HttpError, integer, type OptionKinds, withCode } from '@fw/options'
import type { Context, Middleware } from '@fw/types'
import { authenticate, credentialsOf } from './authenticate.ts'
import { COMMON_KINDS, type CommonOptions, requireVerify, VERIFY } from './options.ts'
import type { Verified } from './principal.ts'

/** Options of `bearer()`. */
export interface BearerOptions extends CommonOptions {
  /** Returns the client that a token belongs to, or `null` if the token is not valid. An error causes a 500. */
  readonly verify: (token: string, ctx: Context) => Verified | Promise<Verified>
  /** Maximum length of a token in bytes. A longer token gets 400 before `verify` runs. Default 8192. */
  readonly maxTokenBytes?: number
}

const KINDS: OptionKinds<BearerOptions> = {
  ...COMMON_KINDS,
  verify: VERIFY,
  maxTokenBytes: integer(1),
}

/** Matches a token (RFC 6750 §2.1). */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * Creates middleware that requires a token in `Authorization: Bearer …` (RFC 6750). It ignores other schemes, the query and the
 * body, because logs contain queries, and forms on other sites can send bodies.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type, or `verify` is missing
 * @throws {RangeError} if `maxTokenBytes` is out of range
 *
 * @example
 * router.use(bearer({ verify: knownSecrets({ deploy: process.env.DEPLOY_TOKEN ?? '' }) }))
 */
export function bearer(options: BearerOptions): Middleware {
  checkOptions('bearer', options, KINDS)
  requireVerify('bearer', options.verify)
  const { verify, realm = 'api', optional = false, maxTokenBytes = 8192 } = options
  const challenge = `Bearer realm="${realm}"`
  return authenticate<string>({
    api: 'bearer',
    isOptional: optional,
    challenge,
    refusal: `${challenge}, error="invalid_token"`,
    read(ctx) {
      const token = credentialsOf(ctx, 'Bearer')
      if (token === undefined || (token.length <= maxTokenBytes && TOKEN.test(token))) return token
      const fields = { 'www-authenticate': `${challenge}, error="invalid_request"` }
      throw withCode('FW_MALFORMED_CREDENTIALS', new HttpError(400, 'The token is malformed or too long', fields))
    },
    verify,
  })
}
