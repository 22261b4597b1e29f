import type { FormatSpec } from './format-spec.ts'
import { convert, isReal } from './conversion.ts'
import { display, inspected } from '../text/display.ts'
import { fitting } from '../text/text-width.ts'

/** The maximum width or precision. */
const MAX_SIZE = 999

/**
 * Returns the spec with its width and precision from the arguments. Ignores an argument that is not an integer from 0 to 999.
 */
function resolveSpec(spec: FormatSpec, args: readonly unknown[]): FormatSpec {
  const { widthFrom, precisionFrom } = spec
  if (widthFrom === undefined && precisionFrom === undefined) return spec
  const width = widthFrom === undefined ? spec.width : (sizeOf(args[widthFrom]) ?? 0)
  const precision = precisionFrom === undefined ? spec.precision : sizeOf(args[precisionFrom])
  return { ...spec, width, precision }
}

function sizeOf(value: unknown): number | undefined {
  const size = typeof value === 'bigint' ? Number(value) : value
  return typeof size === 'number' && Number.isInteger(size) && size >= 0 && size <= MAX_SIZE ? size : undefined
}

/** Formats one of the arguments according to its spec. See `applySpec`. */
export function showArgument(spec: FormatSpec, args: readonly unknown[], index: number): string {
  return applySpec(resolveSpec(spec, args), args[index])
}

/** Formats a value according to a spec. Ignores a conversion that does not apply to the value. Never throws. */
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

/** Reports whether a number is the code point of a character, excluding surrogates. */
function isScalarValue(value: number | bigint): boolean {
  const isCodePoint = typeof value === 'bigint' || Number.isInteger(value)
  return isCodePoint && value >= 0 && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff)
}

function padText(text: string, spec: FormatSpec): string {
  if (spec.width === 0) return text
  const fits = fitting(text, spec.width)
  return fits.text === text ? pad(text, spec.width - fits.width, spec, '<') : text
}

/** Pads a string. @param missing The number of columns to add */
function pad(text: string, missing: number, { fill, align }: FormatSpec, natural: '<' | '>'): string {
  if (missing <= 0) return text
  const side = align ?? natural
  const before = side === '<' ? 0 : side === '>' ? missing : missing >> 1
  return fill.repeat(before) + text + fill.repeat(missing - before)
}
