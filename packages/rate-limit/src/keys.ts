import { createHash } from 'node:crypto'
import { type OptionKind, showValue, withCode } from '@fw/options'
import type { Context } from '@fw/types'

/** Returns the key of the client that sent a request. */
export type KeyOf = (ctx: Context) => string | Promise<string>

/** Characters of the longest key that is stored as it is. A client can choose the length of a field. */
const MAX_KEY_LENGTH = 128

/**
 * Checks the result of a `key` function. Replaces a long key with its SHA-256 digest, which bounds the memory of a store.
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
  return key.length <= MAX_KEY_LENGTH ? key : `sha256:${createHash('sha256').update(key).digest('base64url')}`
}

/** The name of a limit. It is part of fields, problem documents and keys, so it has no spaces and is short. */
export const policyName: OptionKind = {
  expected: '1 to 64 visible ASCII characters',
  accepts: (value) => typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value),
  fix: 'Write for example "login".',
}
