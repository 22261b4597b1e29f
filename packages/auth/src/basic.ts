import { checkOptions, type OptionKinds } from '@fw/options'
import type { Context, Middleware } from '@fw/types'
import { authenticate, credentialsOf } from './authenticate.ts'
import { COMMON_KINDS, type CommonOptions, requireVerify, VERIFY } from './options.ts'
import type { Verified } from './principal.ts'

/** Options of `basic()`. */
export interface BasicOptions extends CommonOptions {
  /** Returns the client that a username and password belong to, or `null` if they are wrong. An error causes a 500. */
  readonly verify: (user: string, password: string, ctx: Context) => Verified | Promise<Verified>
}

const KINDS: OptionKinds<BasicOptions> = {
  ...COMMON_KINDS,
  verify: VERIFY,
}

interface NameAndPassword {
  readonly user: string
  readonly password: string
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
// RFC 7617 §2: the two parts cannot contain control characters.
const CONTROL = /[\0-\x1f\x7f]/

/**
 * Creates middleware that requires a username and password, for which browsers prompt (RFC 7617). Use it only over TLS, because
 * each request contains the password.
 *
 * @throws {TypeError} if an option is unknown or has the wrong type, or `verify` is missing
 *
 * @example
 * router.use(basic({ realm: 'admin', verify: async (user, password) => await findUser(user, password) }))
 */
export function basic(options: BasicOptions): Middleware {
  checkOptions('basic', options, KINDS)
  requireVerify('basic', options.verify)
  const { verify, realm = 'api', optional = false } = options
  const challenge = `Basic realm="${realm}", charset="UTF-8"`
  return authenticate<NameAndPassword | null>({
    api: 'basic',
    isOptional: optional,
    challenge,
    refusal: challenge,
    read(ctx) {
      const encoded = credentialsOf(ctx, 'Basic')
      return encoded === undefined ? undefined : decode(encoded)
    },
    verify: (given, ctx) => (given === null ? null : verify(given.user, given.password, ctx)),
  })
}

/** Returns the name and password; `null` if they are malformed. The first colon separates them. */
function decode(encoded: string): NameAndPassword | null {
  if (!BASE64.test(encoded)) return null
  const bytes = Buffer.from(encoded, 'base64')
  const text = bytes.toString('utf8')
  const colon = text.indexOf(':')
  if (colon === -1 || CONTROL.test(text) || Buffer.byteLength(text) !== bytes.length) return null
  return { user: text.slice(0, colon), password: text.slice(colon + 1) }
}
