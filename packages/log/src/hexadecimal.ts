import { binaryFloat, divideToEven } from './binary-float.ts'

/**
 * A finite number that is not negative in hexadecimal digits and a power of two, as many digits as the value has or as
 * asked for. As `std::format` has it: no `0x`, and numbers below 2 ** -1022 begin with 0.
 *
 * @example
 * hexadecimal(10, undefined)    // '1.4p+3'
 * hexadecimal(0.1, 2)           // '1.9ap-4'
 */
export function hexadecimal(value: number | bigint, precision: number | undefined): string {
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
