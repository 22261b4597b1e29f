import { createHash } from 'node:crypto'
import { showValue, withCode } from '@fw/options'
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
