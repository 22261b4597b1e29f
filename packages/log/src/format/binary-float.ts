/** A non-negative number that is exactly `significand * 2 ** exponent`. */
export interface BinaryFloat {
  readonly significand: bigint
  readonly exponent: number
}

const view = new DataView(new ArrayBuffer(8))

/** The number of bits in a double after its leading 1. */
const FRACTION_BITS = 52n

/**
 * Splits a finite non-negative number into significand and exponent.
 *
 * @see IEEE 754-2019 §3.4
 */
export function binaryFloat(value: number | bigint): BinaryFloat {
  if (typeof value === 'bigint') return { significand: value, exponent: 0 }
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> FRACTION_BITS)
  const fraction = bits & ((1n << FRACTION_BITS) - 1n)
  // A biased exponent of 0 marks subnormal numbers: the exponent counts as 1, and the leading 1 is absent.
  if (biased === 0) return { significand: fraction, exponent: -1074 }
  return { significand: fraction | (1n << FRACTION_BITS), exponent: biased - 1075 }
}

/** Divides two non-negative integers. Rounds to the nearest integer, with ties to even. */
export function divideToEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  return twice > divisor || (twice === divisor && (quotient & 1n) === 1n) ? quotient + 1n : quotient
}
