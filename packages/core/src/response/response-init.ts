import { showType, showValue, withCode } from '@fw/options'
import type { ResponseInit } from '@fw/types'

type Headers = NonNullable<ResponseInit['headers']>

/**
 * Rejects a plain status, which other libraries accept here and which would have no effect.
 *
 * @throws {TypeError} if `init` is not an object
 */
export function checkInit(init: ResponseInit): ResponseInit {
  if (typeof init === 'object' && init !== null) return init
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(`response: init must be an object, got ${showValue(init)}. Write { status: 201 } or { headers }.`),
  )
}

/**
 * Returns the fields of an object as pairs.
 *
 * @throws {TypeError} for a `Headers` object or a list of pairs, which have no such members and would have no effect
 */
export function headerEntries(headers: Headers): [name: string, value: string][] {
  if (typeof headers === 'object' && headers !== null && !(Symbol.iterator in headers)) return Object.entries(headers)
  const fix = 'Write { name: value }, or Object.fromEntries(headers).'
  throw withCode(
    'FW_INVALID_HEADER',
    new TypeError(`response: headers must be a plain object, got ${showType(headers)}. ${fix}`),
  )
}
