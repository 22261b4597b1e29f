import { addVary } from '@fw/http-fields'
import { checkOptions, fieldName, HttpError, type OptionKinds, withCode } from '@fw/options'
import type { Context, Middleware } from '@fw/types'
import { authenticate } from './authenticate.ts'
import { COMMON_KINDS, type CommonOptions, requireVerify, VERIFY } from './options.ts'
import type { Verified } from './principal.ts'

/** Options of `apiKey()`. */
export interface ApiKeyOptions extends CommonOptions {
  /** Returns the client that a key belongs to, or `null` if the key is not valid. An error causes a 500. */
  readonly verify: (key: string, ctx: Context) => Verified | Promise<Verified>
  /** Header field with the key. Default `x-api-key`. */
  readonly header?: string
}

const KINDS: OptionKinds<ApiKeyOptions> = {
  ...COMMON_KINDS,
  verify: VERIFY,
  header: fieldName,
}

/**
 * Creates middleware that requires a key in a header field. Shared caches treat only `Authorization` as a credential. Responses
 * therefore list the field in `Vary`, and contain `Cache-Control: private` unless the handler sets `Cache-Control`.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type, or `verify` is missing
 *
 * @example
 * router.use(apiKey({ verify: knownSecrets({ shop: process.env.SHOP_KEY ?? '' }) }))
 */
export function apiKey(options: ApiKeyOptions): Middleware {
  checkOptions('apiKey', options, KINDS)
  requireVerify('apiKey', options.verify)
  const { verify, realm = 'api', optional = false } = options
  const header = (options.header ?? 'x-api-key').toLowerCase()
  const challenge = `ApiKey realm="${realm}", header="${header}"`
  return authenticate<string>({
    api: 'apiKey',
    isOptional: optional,
    challenge,
    refusal: challenge,
    read(ctx) {
      addVary(ctx.responseHeaders, header)
      const values = ctx.headers.getAll(header)
      if (values.length > 1) {
        throw withCode('FW_MALFORMED_CREDENTIALS', new HttpError(400, `The request has more than one ${header} field`))
      }
      const [key] = values
      if (key === undefined || key === '') return undefined
      if (!ctx.responseHeaders.has('cache-control')) ctx.responseHeaders.set('cache-control', 'private')
      return key
    },
    verify,
  })
}
