import { binaryFloat, divideToEven } from './binary-float.ts'

/** The maximum number of digits that `toFixed` and `toExponential` accept. */
const MAX_DIGITS = 100

/**
 * Formats a finite non-negative number with `precision` digits after the point. Unlike `toFixed`, it rounds a tie to
 * the even digit, as `std::format` does, and never shows an exponent.
 *
 * @example
 * fixed(2.5, 0)     // '2'
 * fixed(0.375, 2)   // '0.38'
 */
export function fixed(value: number | bigint, precision: number): string {
  // `toFixed` shows an exponent for numbers of at least 1e21. An odd number indicates a tie: exactly half of the last digit
  // remains.
  if (
    typeof value === 'number' &&
    precision <= MAX_DIGITS &&
    value < 1e21 &&
    (value * 2 ** (precision + 1)) % 2 !== 1
  ) {
    return value.toFixed(precision)
  }
  const digits = String(units(value, precision)).padStart(precision + 1, '0')
  return precision === 0 ? digits : `${digits.slice(0, -precision)}.${digits.slice(-precision)}`
}

/**
 * Formats a finite non-negative number with one digit before the point, `precision` digits after it, and at least two
 * digits of exponent. Unlike `toExponential`, it rounds a tie to the even digit.
 *
 * @example
 * exponential(2.5, 0)     // '2e+00'
 * exponential(12345, 2)   // '1.23e+04'
 */
export function exponential(value: number | bigint, precision: number): string {
  if (typeof value === 'number' && precision < MAX_DIGITS) {
    const text = value.toExponential(precision)
    if (!mayBeTie(value, precision, text)) return text.at(-3) === 'e' ? `${text.slice(0, -1)}0${text.slice(-1)}` : text
  }
  if (Number(value) === 0) return scientific('0'.repeat(precision + 1), 0)
  // The exponent can be one too high: `toExponential` rounds 9.99… to 10.
  let exponent =
    typeof value === 'bigint' ? String(value).length - 1 : Number(value.toExponential(MAX_DIGITS).split('e')[1])
  let digits = String(units(value, precision - exponent))
  if (digits.length <= precision) digits = String(units(value, precision - --exponent))
  if (digits.length > precision + 1) exponent++
  return scientific(digits.slice(0, precision + 1), exponent)
}

/** Reports whether the remaining digits may be exactly 5. `text` is the number with `precision` digits. */
function mayBeTie(value: number, precision: number, text: string): boolean {
  const exponent = Number(text.slice(text.indexOf('e') + 1))
  // A tie times this power of two is an integer, whether or not the exponent was rounded up.
  if ((value * 2 ** (precision + 2 - exponent)) % 1 !== 0) return false
  return value.toExponential(precision + 1).includes('5e')
}

function scientific(digits: string, exponent: number): string {
  const point = digits.length > 1 ? '.' : ''
  return `${digits.slice(0, 1)}${point}${digits.slice(1)}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Returns `value * 10 ** places`, rounded to an integer from the exact value. */
function units(value: number | bigint, places: number): bigint {
  const { significand, exponent } = binaryFloat(value)
  const dividend = significand * 2n ** BigInt(Math.max(exponent, 0)) * 10n ** BigInt(Math.max(places, 0))
  return divideToEven(dividend, 2n ** BigInt(Math.max(-exponent, 0)) * 10n ** BigInt(Math.max(-places, 0)))
}
