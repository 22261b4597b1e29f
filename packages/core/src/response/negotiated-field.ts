/**
 * Maximum number of bytes of a field to parse. Browsers send about 200. Parsing 16 KiB per request would cost more than
 * most responses.
 */
const MAX_NEGOTIATED_BYTES = 2048

/**
 * Returns an `Accept` field, cut to 2,048 bytes at the end of an element. Returns `undefined` for a missing or empty field.
 */
export function negotiatedField(value: string | null): string | undefined {
  if (value === null || value === '') return undefined
  if (value.length <= MAX_NEGOTIATED_BYTES) return value
  const end = value.lastIndexOf(',', MAX_NEGOTIATED_BYTES)
  return value.slice(0, end === -1 ? MAX_NEGOTIATED_BYTES : end)
}
