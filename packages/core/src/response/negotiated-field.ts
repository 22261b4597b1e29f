/**
 * Bytes of a field that are looked at. Browsers send two hundred; to take 16 KiB apart, time and again, would cost more than most
 * answers.
 */
const MAX_NEGOTIATED_BYTES = 2048

/** What a client likes, as far as it is looked at: whole elements of the field; `undefined` if it says nothing. */
export function negotiatedField(value: string | null): string | undefined {
  if (value === null || value === '') return undefined
  if (value.length <= MAX_NEGOTIATED_BYTES) return value
  const end = value.lastIndexOf(',', MAX_NEGOTIATED_BYTES)
  return value.slice(0, end === -1 ? MAX_NEGOTIATED_BYTES : end)
}
