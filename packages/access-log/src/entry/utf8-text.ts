import { isUtf8 } from 'node:buffer'

/**
 * The text that bytes kept one per character (latin1) mean as UTF-8, or `undefined` if they are not valid UTF-8.
 * What has characters above U+00FF holds no bytes and is text already.
 */
export function textOf(latin1: string): string | undefined {
  if (!/[\x80-\uffff]/.test(latin1) || /[\u0100-\uffff]/.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
