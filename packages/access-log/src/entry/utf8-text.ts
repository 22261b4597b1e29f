import { isUtf8 } from 'node:buffer'

/**
 * The text that octets kept one per character (latin1) mean as UTF-8, or `undefined` if they are not valid UTF-8.
 * What has characters above U+00FF holds no octets and is text already.
 */
export function textOf(octets: string): string | undefined {
  if (!/[\x80-\uffff]/.test(octets) || /[\u0100-\uffff]/.test(octets)) return octets
  const bytes = Buffer.from(octets, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
