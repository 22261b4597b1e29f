import { display, inspected } from './display.ts'
import { fixed, MOST_DIGITS } from './fixed.ts'
import { fitting } from './text-width.ts'

/** What stands after the colon of `{:>8.2f}`, as in C++ `std::format`. */
export interface FormatSpec {
  readonly fill: string
  readonly align: '<' | '>' | '^' | undefined
  readonly sign: '+' | '-' | ' '
  /** `#`: prefix of the base; keeps the point without digits behind it, and trailing zeros of `g`. */
  readonly alternate: boolean
  /** `0`: pads numbers with zeros between the sign and the digits, unless an alignment is given. */
  readonly zero: boolean
  /** Least number of columns, two for wide characters. */
  readonly width: number
  /** Digits after the point, significant digits of `g`, or most columns of text. */
  readonly precision: number | undefined
  /** Conversion; empty for the one that fits the value. */
  readonly type: string
}

/** Three digits of width: more would let a format ask for any amount of memory. */
const SPEC =
  /^(?:(?<fill>.)?(?<align>[<>^]))?(?<sign>[+\- ])?(?<hash>#)?(?<zero>0)?(?<width>\d{1,3})?(?:\.(?<precision>\d{1,3}))?(?<type>[s?dbBoxXeEfFgG])?$/su

/** @returns `undefined` if the text is no spec */
export function parseSpec(text: string): FormatSpec | undefined {
  const groups = SPEC.exec(text)?.groups
  if (groups === undefined) return undefined
  return {
    fill: groups.fill ?? ' ',
    align: groups.align as FormatSpec['align'],
    sign: (groups.sign ?? '-') as FormatSpec['sign'],
    alternate: groups.hash !== undefined,
    zero: groups.zero !== undefined,
    width: Number(groups.width ?? 0),
    precision: groups.precision === undefined ? undefined : Number(groups.precision),
    type: groups.type ?? '',
  }
}

/** Text of a value under a spec. A value that the conversion is not made for is shown as without it; never throws. */
export function applySpec(spec: FormatSpec, value: unknown): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (!isNumber || spec.type === 's' || spec.type === '?') {
    const text = spec.type === '?' ? inspected(value) : display(value)
    return pad(spec.precision === undefined ? text : fitting(text, spec.precision).text, spec, '<')
  }
  const negative = value < 0 || (Object.is(value, -0) && /^[efg]$/i.test(spec.type))
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign
  const digits = convert(spec, negative ? -value : value)
  if (spec.zero && spec.align === undefined && (typeof value === 'bigint' || Number.isFinite(value))) {
    const [prefix] = /^(?:0[xXbB])?/.exec(spec.alternate ? digits : '') ?? ['']
    return sign + prefix + digits.slice(prefix.length).padStart(spec.width - sign.length - prefix.length, '0')
  }
  return pad(sign + digits, spec, '>')
}

/** Digits of a number that is not negative. */
function convert({ type, precision, alternate }: FormatSpec, value: number | bigint): string {
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
    case 'f':
    case 'F':
      return withPoint(fixed(value, precision ?? 6), alternate)
    case 'e':
      return withPoint(exponential(Number(value), precision ?? 6), alternate)
    case 'E':
      return withPoint(exponential(Number(value), precision ?? 6), alternate).toUpperCase()
    case 'g':
      return general(Number(value), precision ?? 6, alternate)
    case 'G':
      return general(Number(value), precision ?? 6, alternate).toUpperCase()
    default:
      return precision === undefined ? String(value) : general(Number(value), precision, alternate)
  }
}

/** `#` keeps the point where no digits follow it. */
function withPoint(text: string, isKept: boolean): string {
  return isKept && /^\d+(?:e|$)/.test(text) ? text.replace(/^\d+/, '$&.') : text
}

/** As `toExponential`, with the two digits of exponent that C++ has at least. */
function exponential(value: number, precision: number): string {
  return value.toExponential(Math.min(precision, MOST_DIGITS)).replace(/e([+-])(\d)$/, 'e$10$2')
}

/** C's `%g`: the shorter of the two forms for so many significant digits, without trailing zeros. */
function general(value: number, precision: number, keepZeros: boolean): string {
  if (!Number.isFinite(value)) return String(value)
  const significant = Math.min(Math.max(precision, 1), MOST_DIGITS)
  const exponent = Number(value.toExponential(significant - 1).split('e')[1])
  const plain = exponent >= -4 && exponent < significant
  const text = plain ? fixed(value, significant - 1 - exponent) : exponential(value, significant - 1)
  return keepZeros ? withPoint(text, true) : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '')
}

function pad(text: string, { fill, align, width }: FormatSpec, natural: '<' | '>'): string {
  if (width === 0) return text
  const fits = fitting(text, width)
  const missing = fits.text === text ? width - fits.width : 0
  const side = align ?? natural
  const before = side === '<' ? 0 : side === '>' ? missing : missing >> 1
  return fill.repeat(before) + text + fill.repeat(missing - before)
}
