import { exponential, fixed } from './decimal.ts'
import type { FormatSpec } from './format-spec.ts'
import { binaryFloat, divideToEven } from './binary-float.ts'

type Conversion = Pick<FormatSpec, 'type' | 'precision' | 'alternate'>

/** Reports whether a conversion is for real numbers, which have a negative zero. */
export function isReal({ type, precision }: Conversion): boolean {
  return type === '' ? precision !== undefined : /^[aefg]$/i.test(type)
}

/**
 * Returns the digits of a non-negative number in the form that `std::format` shows. Formats infinity, NaN and values that the
 * conversion does not accept as JavaScript does.
 */
export function convert(conversion: Conversion, value: number | bigint): string {
  const { type, precision, alternate } = conversion
  switch (type) {
    case 'd':
      return String(value)
    case 'b':
    case 'B':
      return (alternate ? `0${type}` : '') + value.toString(2)
    case 'o':
      return (alternate && value !== 0 && value !== 0n ? '0' : '') + value.toString(8)
    case 'x':
      return (alternate ? '0x' : '') + value.toString(16)
    case 'X':
      return (alternate ? '0X' : '') + value.toString(16).toUpperCase()
    case 'A':
    case 'E':
    case 'F':
    case 'G':
      return real(type.toLowerCase(), value, precision, alternate).toUpperCase()
    default:
      return type === 'c' || (type === '' && precision === undefined)
        ? String(value)
        : real(type, value, precision, alternate)
  }
}

function real(type: string, value: number | bigint, precision: number | undefined, alternate: boolean): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  switch (type) {
    case 'a':
      return withPoint(hexadecimal(value, precision), alternate)
    case 'e':
      return withPoint(exponential(value, precision ?? 6), alternate)
    case 'f':
      return withPoint(fixed(value, precision ?? 6), alternate)
    default:
      return general(value, precision ?? 6, alternate)
  }
}

/** Adds a missing decimal point if `isKept`. The flag `#` keeps a point that no digits follow. */
function withPoint(text: string, isKept: boolean): string {
  return isKept && !text.includes('.') ? text.replace(/^\d+/, '$&.') : text
}

/** Formats like C's `%g`: the shorter of both forms with `precision` significant digits, without trailing zeros. */
function general(value: number | bigint, precision: number, keepZeros: boolean): string {
  const significant = Math.max(precision, 1)
  const power = exponential(value, significant - 1)
  const exponent = Number(power.slice(power.indexOf('e') + 1))
  const text = exponent >= -4 && exponent < significant ? fixed(value, significant - 1 - exponent) : power
  return keepZeros ? withPoint(text, true) : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '')
}

/**
 * Formats a finite non-negative number as hexadecimal digits and a power of two. Without `precision`, writes as many digits as
 * the value needs. Like `std::format`, omits `0x` and begins numbers below 2 ** -1022 with 0.
 *
 * @example
 * hexadecimal(10, undefined)    // '1.4p+3'
 * hexadecimal(0.1, 2)           // '1.9ap-4'
 */
function hexadecimal(value: number | bigint, precision: number | undefined): string {
  const { significand, exponent } = binaryFloat(value)
  const fractionBits = typeof value === 'bigint' ? Math.max(significand.toString(2).length - 1, 0) : 52
  const places = Math.ceil(fractionBits / 4)
  const aligned = significand << BigInt(places * 4 - fractionBits)
  const kept = Math.min(precision ?? places, places)
  const digits = divideToEven(aligned, 16n ** BigInt(places - kept))
  const before = digits >> BigInt(kept * 4)
  const behind = kept === 0 ? '' : (digits - (before << BigInt(kept * 4))).toString(16).padStart(kept, '0')
  const fraction = precision === undefined ? behind.replace(/0+$/, '') : behind.padEnd(precision, '0')
  const power = significand === 0n ? 0 : exponent + fractionBits
  return `${before}${fraction && '.'}${fraction}p${power < 0 ? '-' : '+'}${Math.abs(power)}`
}
