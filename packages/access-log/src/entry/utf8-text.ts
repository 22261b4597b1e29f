import { isUtf8 } from 'node:buffer'

/**
 * Decodes bytes, given as one character each (latin1), as UTF-8; `undefined` if they are not valid UTF-8. Returns text
 * with characters above U+00FF unchanged.
 */
export function textOf(latin1: string): string | undefined {
  if (!/[\x80-\uffff]/.test(latin1) || /[\u0100-\uffff]/.test(latin1)) return latin1
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : undefined
}
