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

/** Whether a text is a spec, be it with arguments for width and precision. */
export function isSpec(text: string): boolean {
  return SPEC.test(text)
}

/**
 * @param indexOf Index of the argument that `{}` or `{1}` within the spec stands for, asked for from left to right; such
 * are no spec without it
 * @returns `undefined` if the text is no spec
 */
// docs/decisions/0016
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
