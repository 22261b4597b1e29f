import { convert, isReal } from './conversion.ts'
import { display, inspected } from '../text/display.ts'
import { fitting } from '../text/text-width.ts'

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
  /** Index of the argument that is the width, or the precision, as in `{:{}.{}}`. */
  readonly widthFrom: number | undefined
  readonly precisionFrom: number | undefined
}

/** Three digits of width: more would let a format ask for any amount of memory. */
const SPEC =
  /^(?:(?<fill>[^{}])?(?<align>[<>^]))?(?<sign>[+\- ])?(?<hash>#)?(?<zero>0)?(?:(?<width>\d{1,3})|\{(?<widthFrom>\d{0,3})\})?(?:\.(?:(?<precision>\d{1,3})|\{(?<precisionFrom>\d{0,3})\}))?(?<type>[s?cdbBoxXaAeEfFgG])?$/su

/** Largest width or precision, for the same reason. */
const MOST = 999

/** Whether a text is a spec, be it with arguments for width and precision. */
export function isSpec(text: string): boolean {
  return SPEC.test(text)
}

/**
 * @param indexOf Index of the argument that `{}` or `{1}` within the spec stands for, asked for from left to right; such
 * are no spec without it
 * @returns `undefined` if the text is no spec
 */
export function parseSpec(text: string, indexOf?: (position: string) => number): FormatSpec | undefined {
  const groups = SPEC.exec(text)?.groups
  if (groups === undefined) return undefined
  const { widthFrom, precisionFrom } = groups
  if (indexOf === undefined && (widthFrom ?? precisionFrom) !== undefined) return undefined
  return {
    fill: groups.fill ?? ' ',
    align: groups.align as FormatSpec['align'],
    sign: (groups.sign ?? '-') as FormatSpec['sign'],
    alternate: groups.hash !== undefined,
    zero: groups.zero !== undefined,
    width: Number(groups.width ?? 0),
    precision: groups.precision === undefined ? undefined : Number(groups.precision),
    type: groups.type ?? '',
    widthFrom: widthFrom === undefined ? undefined : indexOf?.(widthFrom),
    precisionFrom: precisionFrom === undefined ? undefined : indexOf?.(precisionFrom),
  }
}

/** The spec with its width and precision from the arguments. One that is no whole number from 0 to 999 is as not given. */
function resolveSpec(spec: FormatSpec, args: readonly unknown[]): FormatSpec {
  const { widthFrom, precisionFrom } = spec
  if (widthFrom === undefined && precisionFrom === undefined) return spec
  const width = widthFrom === undefined ? spec.width : (sizeOf(args[widthFrom]) ?? 0)
  const precision = precisionFrom === undefined ? spec.precision : sizeOf(args[precisionFrom])
  return { ...spec, width, precision }
}

function sizeOf(value: unknown): number | undefined {
  const size = typeof value === 'bigint' ? Number(value) : value
  return typeof size === 'number' && Number.isInteger(size) && size >= 0 && size <= MOST ? size : undefined
}

/** Text of one of the arguments under its spec, as `applySpec`. */
export function showArgument(spec: FormatSpec, args: readonly unknown[], index: number): string {
  return applySpec(resolveSpec(spec, args), args[index])
}

/** Text of a value under a spec. A value that the conversion is not made for is shown as without it; never throws. */
export function applySpec(spec: FormatSpec, given: unknown): string {
  const value = typeof given === 'boolean' && /^[dbox]$/i.test(spec.type) ? Number(given) : given
  const isNumber = typeof value === 'number' || typeof value === 'bigint'
  if (isNumber && spec.type === 'c' && isScalarValue(value)) return padText(String.fromCodePoint(Number(value)), spec)
  if (!isNumber || spec.type === 's' || spec.type === '?') {
    const text = spec.type === '?' ? inspected(value) : display(value)
    return padText(spec.precision === undefined ? text : fitting(text, spec.precision).text, spec)
  }
  const isFinite = typeof value === 'bigint' || Number.isFinite(value)
  const negative = value < 0 || (Object.is(value, -0) && isReal(spec))
  const sign = negative ? '-' : spec.sign === '-' ? '' : spec.sign
  const digits = convert(spec, negative ? -value : value)
  if (spec.zero && spec.align === undefined && isFinite) {
    const [prefix] = /^(?:0[xXbB])?/.exec(spec.alternate ? digits : '') ?? ['']
    return sign + prefix + digits.slice(prefix.length).padStart(spec.width - sign.length - prefix.length, '0')
  }
  const text = sign + digits
  return pad(text, spec.width - text.length, spec, '>')
}

/** Whether a number stands for a character: a code point that is no surrogate. */
function isScalarValue(value: number | bigint): boolean {
  const isCodePoint = typeof value === 'bigint' || Number.isInteger(value)
  return isCodePoint && value >= 0 && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)
}

function padText(text: string, spec: FormatSpec): string {
  if (spec.width === 0) return text
  const fits = fitting(text, spec.width)
  return fits.text === text ? pad(text, spec.width - fits.width, spec, '<') : text
}

/** @param missing Columns to add */
function pad(text: string, missing: number, { fill, align }: FormatSpec, natural: '<' | '>'): string {
  if (missing <= 0) return text
  const side = align ?? natural
  const before = side === '<' ? 0 : side === '>' ? missing : missing >> 1
  return fill.repeat(before) + text + fill.repeat(missing - before)
}
