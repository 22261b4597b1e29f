/*
 * The compile-time half of the format language; `format.ts` is the run-time half. The types are written for the
 * compiler's speed: a call costs a few dozen instantiations.
 */

declare const runtimeBrand: unique symbol

/** A format string that is known at run time only, made by `runtime()`. */
export type RuntimeFormat = string & { readonly [runtimeBrand]: true }

/** Marks a format that is no literal as meant; its arguments are not checked. */
export function runtime(format: string): RuntimeFormat {
  return format as RuntimeFormat
}

/** Shown by the compiler where a format is wrong. No value has this type. */
export interface FormatError<Message extends string> {
  readonly formatError: Message
}

/**
 * The arguments a format takes. None at all is always right: the text is then emitted as it is, braces and all.
 *
 * @example
 * function audit<const F extends string>(format: F, ...args: FormatArgs<F>): void {
 *   logger.info(format, ...args)
 * }
 */
export type FormatArgs<F extends string> = F extends RuntimeFormat
  ? unknown[]
  : Nothing extends Record<F, 1>
    ? FormatError<'a format that is no string literal takes no arguments: use runtime(format), or "{}" and the text as its argument'>[]
    : [] | InOrder<F, []>

/** Has all the properties that a pattern such as `a${string}` names, none, but not the one that a literal names. */
type Nothing = { [key: symbol]: 1 }

/** Walks a format with `{}`; one element for each argument. */
type InOrder<F extends string, Args extends unknown[]> = F extends `${string}{${infer Rest}`
  ? Rest extends `}${infer Tail}`
    ? InOrder<Tail, [...Args, unknown]>
    : Rest extends `{${infer Tail}`
      ? InOrder<Tail, Args>
      : Rest extends `:${infer Spec}}${infer Tail}`
        ? [SpecArg<Spec>] extends [never]
          ? NoSpec<Spec>[]
          : InOrder<Tail, [...Args, SpecArg<Spec>]>
        : Args extends []
          ? ByIndex<F, []>
          : NotInOrder<Rest>[]
  : Args

/** Walks a format with `{0}`; as many elements as the highest index needs. */
type ByIndex<F extends string, Args extends unknown[]> = F extends `${string}{${infer Rest}`
  ? Rest extends `{${infer Tail}`
    ? ByIndex<Tail, Args>
    : Rest extends `${infer Body}}${infer Tail}`
      ? Body extends Index
        ? ByIndex<Tail, Longer<Args, Upto[Body]>>
        : Body extends `${infer At extends Index}:${infer Spec}`
          ? [SpecArg<Spec>] extends [never]
            ? NoSpec<Spec>[]
            : ByIndex<Tail, Longer<Args, Upto[At]>>
          : NotByIndex<Rest>[]
      : NoPlaceholder<Rest>[]
  : Args

type NotByIndex<Rest extends string> = Rest extends `${'}' | ':'}${string}`
  ? FormatError<'{} and {0} cannot be mixed in one format'>
  : NoPlaceholder<Rest>
type NotInOrder<Rest extends string> = Rest extends `${Index}${'}' | ':'}${string}`
  ? FormatError<'{} and {0} cannot be mixed in one format'>
  : NoPlaceholder<Rest>
type NoPlaceholder<Rest extends string> = Rest extends `${infer Body}}${string}`
  ? FormatError<`{${Body}} is no placeholder; those are {}, {0} to {9}, {:spec} and {0:spec}`>
  : FormatError<'unclosed { in the format; write {{ for a brace'>

/** Kept as a conditional type: an alias by name would hide the message. */
type NoSpec<Spec extends string> = Spec extends string
  ? FormatError<`{:${Spec}} is no format spec; it is [[fill]<>^][+- ][#][0][width][.precision][s?dbBoxXeEfFgG]`>
  : never

type Align = '<' | '>' | '^'
type Whole = 'd' | 'b' | 'B' | 'o' | 'x' | 'X'
type Real = 'e' | 'E' | 'f' | 'F' | 'g' | 'G'

/** The argument a spec asks for: a number where the conversion makes no sense without one, else anything. */
type SpecArg<Spec extends string> =
  AfterSign<AfterAlign<Spec>> extends infer Body
    ? Body extends '' | 's' | '?' | `${number}` | `${number}${'s' | '?'}`
      ? unknown
      : Body extends Whole | Real | `${number}${Whole | Real}`
        ? number | bigint
        : never
    : never

type AfterAlign<Spec extends string> = Spec extends `${infer First}${infer Rest}`
  ? Rest extends `${Align}${infer Tail}`
    ? Tail
    : First extends Align
      ? Rest
      : Spec
  : Spec

type AfterSign<Spec extends string> = Spec extends `${'+' | '-' | ' '}${infer Rest}` ? AfterHash<Rest> : AfterHash<Spec>
type AfterHash<Spec extends string> = Spec extends `#${infer Rest}` ? Rest : Spec

/** As many arguments as the highest index needs. */
interface Upto {
  '0': [unknown]
  '1': [unknown, unknown]
  '2': [unknown, unknown, unknown]
  '3': [unknown, unknown, unknown, unknown]
  '4': [unknown, unknown, unknown, unknown, unknown]
  '5': [unknown, unknown, unknown, unknown, unknown, unknown]
  '6': [unknown, unknown, unknown, unknown, unknown, unknown, unknown]
  '7': [unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown]
  '8': [unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown]
  '9': [unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown]
}
type Index = keyof Upto
type Longer<A extends unknown[], B extends unknown[]> = A extends [...B, ...unknown[]] ? A : B
