import { showType, showValue } from '@fw/options'
import type { ResponseInit } from '@fw/types'

type Headers = NonNullable<ResponseInit['headers']>

/**
 * Programs without types give a bare status, as elsewhere: it would be without effect.
 *
 * @throws {TypeError} if this is no object
 */
export function checkInit(init: ResponseInit): ResponseInit {
  if (typeof init === 'object' && init !== null) return init
  throw new TypeError(`response: init must be an object, got ${showValue(init)}. Write { status: 201 } or { headers }.`)
}

/**
 * The fields of an object by name.
 *
 * @throws {TypeError} for a `Headers` or a list of pairs, which have no members and would be without effect
 */
export function headerEntries(headers: Headers): [name: string, value: string][] {
  if (typeof headers === 'object' && headers !== null && !(Symbol.iterator in headers)) return Object.entries(headers)
  const fix = 'Write { name: value }, or Object.fromEntries(headers).'
  throw new TypeError(`response: headers must be a plain object, got ${showType(headers)}. ${fix}`)
}
