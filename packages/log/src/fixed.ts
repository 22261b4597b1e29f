/** Most digits the standard library converts to. */
export const MOST_DIGITS = 100

/**
 * A number that is not negative with so many digits behind the point, at most `MOST_DIGITS`. Unlike `toFixed` a tie goes
 * to the even digit, as with `std::format`, and there is no exponent.
 *
 * @example
 * fixed(2.5, 0)     // '2'
 * fixed(0.375, 2)   // '0.38'
 */
export function fixed(value: number | bigint, precision: number): string {
  const digits = Math.min(precision, MOST_DIGITS)
  // From 1e21 on `toFixed` turns to exponents; every number that large is a whole one.
  if (typeof value === 'bigint' || (value >= 1e21 && value !== Infinity)) {
    return BigInt(value).toString() + (digits === 0 ? '' : '.' + '0'.repeat(digits))
  }
  // A tie is an odd number of halves of the last digit: value * 10 ** digits = doubled * 5 ** digits / 2.
  const doubled = value * 2 ** (digits + 1)
  if (doubled % 2 !== 1) return value.toFixed(digits)
  const below = (BigInt(doubled) * 5n ** BigInt(digits)) >> 1n
  const text = String(below + (below & 1n)).padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}
