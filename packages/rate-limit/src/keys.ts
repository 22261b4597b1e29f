import { hash } from 'node:crypto'
import { type OptionKind, showValue, withCode } from '@fw/options'
import type { Context } from '@fw/types'

/** Returns the key of the client that sent a request. */
export type KeyOf = (ctx: Context) => string | Promise<string>

/**
 * Checks the result of a `key` function and returns its SHA-256 digest. A store then never contains credentials, and clients
 * cannot fill it with long keys.
 *
 * @throws {TypeError} if the result is not a string, because all clients without a key would share one limit
 */
export function checkedKey(api: string, key: unknown): string {
  if (typeof key !== 'string') {
    throw withCode(
      'FW_INVALID_RETURN',
      new TypeError(
        `${api}: key must return a string, got ${showValue(key)}. Return, for example, addressKey(ctx.clientAddress).`,
      ),
    )
  }
  return `sha256:${hash('sha256', key, 'base64url')}`
}

/**
 * Accepts the name of a limit. The name is part of fields, problem documents and keys, so it must be short and without spaces.
 * With `:` in names, the limit `a:b` and the client `c` would have the same key as the limit `a` and the client `b:c`.
 */
export const policyName: OptionKind = {
  expected: '1 to 64 visible ASCII characters except ":"',
  accepts: (value) => typeof value === 'string' && /^[\x21-\x39\x3b-\x7e]{1,64}$/.test(value),
  fix: 'Write, for example, "login".',
}
