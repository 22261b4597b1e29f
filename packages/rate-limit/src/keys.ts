import { hash } from 'node:crypto'
import { type OptionKind, showValue, withCode } from '@fw/options'
import type { Context } from '@fw/types'

/** Returns the key of the client that sent a request. */
export type KeyOf = (ctx: Context) => string | Promise<string>

/**
 * Checks the result of a `key` function and returns its SHA-256 digest. A store then never contains a credential, and a client that
 * chooses a long key does not fill it.
 *
 * @throws {TypeError} if it is not a string. All clients without a key would share one limit
 */
export function checkedKey(api: string, key: unknown): string {
  if (typeof key !== 'string') {
    throw withCode(
      'FW_INVALID_RETURN',
      new TypeError(
        `${api}: key must return a string, got ${showValue(key)}. Return for example addressKey(ctx.clientAddress).`,
      ),
    )
  }
  return `sha256:${hash('sha256', key, 'base64url')}`
}

/**
 * The name of a limit. It is part of fields, problem documents and keys, so it has no spaces and is short. A `:` would make the
 * key of `a:b` and client `c` the same as that of `a` and client `b:c`.
 */
export const policyName: OptionKind = {
  expected: '1 to 64 visible ASCII characters except ":"',
  accepts: (value) => typeof value === 'string' && /^[\x21-\x39\x3b-\x7e]{1,64}$/.test(value),
  fix: 'Write for example "login".',
}
