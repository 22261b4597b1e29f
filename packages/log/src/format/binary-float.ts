/** A number that is not negative, as `significand * 2 ** exponent`, exactly. */
export interface BinaryFloat {
  readonly significand: bigint
  readonly exponent: number
}

const view = new DataView(new ArrayBuffer(8))

/** Bits of a double behind its leading one. */
const FRACTION_BITS = 52n

/**
 * Takes a finite number that is not negative apart.
 *
 * @see IEEE 754-2019 §3.4
 */
export function binaryFloat(value: number | bigint): BinaryFloat {
  if (typeof value === 'bigint') return { significand: value, exponent: 0 }
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const biased = Number(bits >> FRACTION_BITS)
  const fraction = bits & ((1n << FRACTION_BITS) - 1n)
  // A biased exponent of 0 is that of subnormal numbers: as 1, without the leading one.
  if (biased === 0) return { significand: fraction, exponent: -1074 }
  return { significand: fraction | (1n << FRACTION_BITS), exponent: biased - 1075 }
}

/** The whole number nearest to a quotient of numbers that are not negative; of two the even one. */
export function divideToEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const twice = (dividend % divisor) * 2n
  return twice > divisor || (twice === divisor && (quotient & 1n) === 1n) ? quotient + 1n : quotient
}
