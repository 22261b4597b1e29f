/** A parsed format spec: the part after the colon of `{:>8.2f}`, as in C++ `std::format`. */
export interface FormatSpec {
  readonly fill: string
  readonly align: '<' | '>' | '^' | undefined
  readonly sign: '+' | '-' | ' '
  /** `#`: adds the prefix of the base. Also keeps a point that no digits follow, and the trailing zeros of `g`. */
  readonly alternate: boolean
  /** `0`: pads numbers with zeros between the sign and the digits, unless an alignment is given. */
  readonly zero: boolean
  /** The minimum number of columns. Wide characters occupy two. */
  readonly width: number
  /** The number of digits after the point, or of significant digits for `g`; for text, the maximum number of columns. */
  readonly precision: number | undefined
  /** The conversion; empty for the value's default. */
  readonly type: string
  /** The index of the argument that supplies the width or the precision, as in `{:{}.{}}`. */
  readonly widthFrom: number | undefined
  readonly precisionFrom: number | undefined
}

/** Matches a spec. Allows at most three width digits, because more would let a format allocate any amount of memory. */
const SPEC =
  /^(?:(?<fill>[^{}])?(?<align>[<>^]))?(?<sign>[+\- ])?(?<hash>#)?(?<zero>0)?(?:(?<width>\d{1,3})|\{(?<widthFrom>\d{0,3})\})?(?:\.(?:(?<precision>\d{1,3})|\{(?<precisionFrom>\d{0,3})\}))?(?<type>[s?cdbBoxXaAeEfFgG])?$/su

/** Reports whether a string is a spec, with or without arguments for width and precision. */
export function isSpec(text: string): boolean {
  return SPEC.test(text)
}

/**
 * Parses a format spec.
 *
 * @param indexOf Returns the index of the argument for `{}` or `{1}` in the spec, from left to right. Without it, a
 *   spec with such arguments is invalid
 * @returns `undefined` if the text is not a spec
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
