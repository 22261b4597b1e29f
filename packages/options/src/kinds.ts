import { withArticle } from './show-value.ts'

/** The values that an option accepts, and their description in an error. */
export interface OptionKind {
  /** Completes "must be …". */
  readonly expected: string
  /** Reports whether the option accepts a value. Never called with `undefined`, which means that the option is absent. */
  readonly accepts: (value: unknown) => boolean
  /** Reports whether a refused value has the right type; the error is then a `RangeError`. Default: false for every value. */
  readonly isRightType?: (value: unknown) => boolean
  /** One sentence that explains how to correct a refused value. Default: the advice to omit the option. */
  readonly fix?: string | ((value: unknown) => string | undefined) | undefined
  /** Omits the value from error messages, for keys and passwords. */
  readonly isSecret?: boolean
  /** The kind of each item, if the value is an array. */
  readonly item?: OptionKind
  /** The kinds of the nested options, if the value is an object of options. */
  readonly nested?: Readonly<Record<string, OptionKind>>
}

/** One kind for each option, so that the compiler reports an option without a kind. */
export type OptionKinds<Options extends object> = { readonly [Name in keyof Options]-?: OptionKind }

/** Accepts `true` and `false`. Refuses text: `'false'` from the environment would count as true. */
export const flag: OptionKind = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
  fix: (value) =>
    value === 'true' || value === 'false' ? "Convert text first, for example process.env.NAME === 'true'." : undefined,
}

/** Accepts every value, for options that are checked elsewhere. */
export const anything: OptionKind = { expected: 'any value', accepts: () => true }

/** Accepts functions. */
export const func: OptionKind = { expected: 'a function', accepts: (value) => typeof value === 'function' }

/** Accepts strings. */
export const text: OptionKind = { expected: 'a string', accepts: (value) => typeof value === 'string' }

/** Accepts names of header fields (RFC 9110 §5.1). */
export const fieldName: OptionKind = {
  expected: 'a field name',
  accepts: (value) => typeof value === 'string' && /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(value),
}

/** Accepts objects, except arrays. */
export const object: OptionKind = { expected: 'an object', accepts: isObject }

/** Accepts safe integers from `min` to `max`, both included. */
export function integer(min: number, max: number = Number.MAX_SAFE_INTEGER): OptionKind {
  return {
    expected: integerRange(min, max),
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
    isRightType: (value) => typeof value === 'number',
    fix: (value) => (isNumericText(value) ? 'Convert text first, for example Number(process.env.NAME).' : undefined),
  }
}

/** Accepts numbers from `min` to `max`, both included. Accepts fractions, but not `NaN`. */
export function number(min: number, max: number): OptionKind {
  return {
    expected: `a number from ${min} to ${max}`,
    accepts: (value) => typeof value === 'number' && value >= min && value <= max,
    isRightType: (value) => typeof value === 'number',
    fix: (value) => (isNumericText(value) ? 'Convert text first, for example Number(process.env.NAME).' : undefined),
  }
}

/** Accepts only the given values. */
export function oneOf(...values: readonly (string | number | boolean)[]): OptionKind {
  const shown = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)))
  return { expected: joinWithOr(shown), accepts: (value) => values.some((each) => each === value) }
}

/** Accepts instances of a class. Errors show `name`, because a minifier can rename the class. */
export function instanceOf(name: string, type: abstract new (...args: never[]) => unknown): OptionKind {
  return { expected: withArticle(name), accepts: (value) => value instanceof type }
}

/** Accepts objects that have all of these methods. */
export function objectWith(expected: string, ...methods: readonly string[]): OptionKind {
  return {
    expected,
    accepts: (value) =>
      value !== null &&
      (typeof value === 'object' || typeof value === 'function') &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
  }
}

/** Accepts arrays whose items are all of one kind. */
export function listOf(expected: string, item: OptionKind): OptionKind {
  return { expected, accepts: Array.isArray, item }
}

/** Accepts any value that one of the kinds accepts. The kinds must not have items or nested options. */
export function either(...kinds: readonly OptionKind[]): OptionKind {
  return {
    expected: joinWithOr(kinds.map((kind) => kind.expected)),
    accepts: (value) => kinds.some((kind) => kind.accepts(value)),
    isRightType: (value) => kinds.some((kind) => kind.isRightType?.(value) === true),
    fix: (value) => kinds.map((kind) => fixFor(kind, value)).find((fix) => fix !== undefined),
  }
}

/** Accepts an object of options and checks each option. */
export function options<Options extends object>(kinds: OptionKinds<Options>): OptionKind {
  return { ...object, nested: kinds }
}

/** Accepts the same values as `kind`, but errors show only the type of a refused value. */
export function secret(kind: OptionKind): OptionKind {
  return { ...kind, isSecret: true }
}

/** Accepts the same values as `kind`, and ends every error with the sentence `fix`. */
export function withFix(kind: OptionKind, fix: string): OptionKind {
  return { ...kind, fix }
}

/** Returns the sentence that ends the error for a refused value. */
export function fixFor({ fix }: OptionKind, value: unknown): string | undefined {
  return typeof fix === 'function' ? fix(value) : fix
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function integerRange(min: number, max: number): string {
  if (max !== Number.MAX_SAFE_INTEGER) return `an integer from ${min} to ${max}`
  return min === 1 ? 'a positive integer' : `an integer of at least ${min}`
}

function isNumericText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
}

function joinWithOr(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} or ${parts[parts.length - 1]}`
}
