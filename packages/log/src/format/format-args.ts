/*
 * The compile-time half of the format language; `format.ts` is the run-time half. The types are optimized for compiler speed:
 * each brace in a format costs about 15 instantiations. The compiler instantiates a pattern such as `a${infer X}` twice, and a
 * pattern with a union once for each member.
 */

declare const runtimeBrand: unique symbol

/** A format string that is known only at run time. See `runtime()`. */
export type RuntimeFormat = string & { readonly [runtimeBrand]: true }

/** Marks a format that is intentionally not a literal. The compiler does not check its arguments. */
export function runtime(format: string): RuntimeFormat {
  return format as RuntimeFormat
}

/** The error that the compiler shows for an invalid format. No value has this type. */
export interface FormatError<Message extends string> {
  /** The description of the mistake, which the compiler shows. */
  readonly formatError: Message
}

/**
 * The arguments that a format requires. A call without arguments is always valid: it logs the text unchanged, including braces.
 *
 * @example
 * function audit<const F extends string>(format: F, ...args: FormatArgs<F>): void {
 *   logger.info(format, ...args)
 * }
 */
export type FormatArgs<F extends string> = Nothing extends { [K in F]: 1 }
  ? F extends RuntimeFormat
    ? unknown[]
    : FormatError<'a format with arguments must be a string literal, got a string: use runtime(format), or "{}" and the text as its argument'>[]
  : Walk<F, []>

/**
 * Extends the mapped type of a pattern such as `a${string}`, which has no named property, but not the mapped type of a literal.
 */
type Nothing = { [key: symbol]: 1 }

/**
 * Collects the placeholders of a format, without their outer braces. The compiler then computes the arguments once for
 * all formats that have the same placeholders.
 */
type Walk<F extends string, Found extends string[]> = F extends `${string}{${string}`
  ? F extends `${string}{${infer Body}}${infer Rest}`
    ? Body extends `${string}{${string}`
      ? Body extends `{${string}`
        ? F extends `${string}{{${infer Tail}`
          ? Walk<Tail, Found>
          : never
        : Rest extends `.{${string}`
          ? Rest extends `${infer Precision}}${infer Type}}${infer Tail}`
            ? Walk<Tail, [...Found, `${Body}}${Precision}}${Type}`]>
            : ArgsOf<[...Found, Unclosed]>
          : Rest extends `${infer Type}}${infer Tail}`
            ? Walk<Tail, [...Found, `${Body}}${Type}`]>
            : ArgsOf<[...Found, Unclosed]>
      : Walk<Rest, [...Found, Body]>
    : WalkEnd<F, Found>
  : [] | ArgsOf<Found>

/** Reads the end of a format, after the last `}`. */
type WalkEnd<F extends string, Found extends string[]> = F extends `${string}{${infer Rest}`
  ? Rest extends `{${infer Tail}`
    ? WalkEnd<Tail, Found>
    : ArgsOf<[...Found, Unclosed]>
  : [] | ArgsOf<Found>

/** Represents an unclosed placeholder. No other placeholder begins with a brace, because two braces are an escape. */
type Unclosed = '{'

type ArgsOf<Placeholders extends string[]> = Placeholders[0] extends Index | `${Index}:${string}`
  ? ByIndex<Placeholders, never, unknown>
  : InOrder<Placeholders, []>

/** Reads `{}` and `{:spec}`: one element for each argument. The elements for width and precision follow the value. */
type InOrder<Placeholders extends string[], Args extends unknown[]> = Placeholders extends [
  infer Body extends string,
  ...infer Rest extends string[],
]
  ? Body extends ''
    ? InOrder<Rest, [...Args, unknown]>
    : Body extends `:${infer Spec}`
      ? Spec extends `${string}{${infer Width}}${infer Tail}`
        ? Width extends ''
          ? Tail extends `.{${infer Precision}}${string}`
            ? Precision extends ''
              ? InOrder<Rest, [...Args, SpecArg<Spec>, number | bigint, number | bigint]>
              : NoSize<Precision, Spec>[]
            : InOrder<Rest, [...Args, SpecArg<Spec>, number | bigint]>
          : NoSize<Width, Spec>[]
        : InOrder<Rest, [...Args, SpecArg<Spec>]>
      : Body extends Index | `${Index}:${string}`
        ? FormatError<Mixed>[]
        : NoPlaceholder<Body>[]
  : Args

/**
 * Reads `{0}` and `{0:spec}`: as many elements as the highest index requires. `Needs` contains the types that specs require, by
 * index.
 */
type ByIndex<Placeholders extends string[], Used extends Index, Needs> = Placeholders extends [
  infer Body extends string,
  ...infer Rest extends string[],
]
  ? Body extends Index
    ? ByIndex<Rest, Used | Body, Needs>
    : Body extends `${infer At extends Index}:${infer Spec}`
      ? Spec extends `${infer Head}{${infer Width}}${infer Tail}`
        ? Width extends Index
          ? Tail extends `.{${infer Precision}}${infer Type}`
            ? Precision extends Index
              ? ByIndex<
                  Rest,
                  Used | At | Width | Precision,
                  Needs & Need<At, SpecArg<`${Head}{}.{}${Type}`>> & Need<Width | Precision, number | bigint>
                >
              : NoSize<Precision, Spec>[]
            : ByIndex<
                Rest,
                Used | At | Width,
                Needs & Need<At, SpecArg<`${Head}{}${Tail}`>> & Need<Width, number | bigint>
              >
          : NoSize<Width, Spec>[]
        : ByIndex<Rest, Used | At, Needs & Need<At, SpecArg<Spec>>>
      : Body extends '' | `:${string}`
        ? FormatError<Mixed>[]
        : NoPlaceholder<Body>[]
  : Checked<Upto<Used>, Needs>

type Need<At extends Index, Arg> = { [K in At]: Arg }
type Checked<Args extends unknown[], Needs> = { [At in keyof Args]: At extends keyof Needs ? Needs[At] : unknown }

type Mixed = '{} and {0} cannot be mixed in one format'
type NoSize<At, Spec extends string> = [At] extends ['' | Index] ? FormatError<Mixed> : NoSpec<Spec>
type NoPlaceholder<Body extends string> = Body extends Unclosed
  ? FormatError<'unclosed { in the format; write {{ for a brace'>
  : FormatError<`a placeholder must be {}, {0} to {9}, {:spec} or {0:spec}, got {${Body}}`>

/** Written as a conditional type; for an alias, the compiler would show the name instead of the message. */
type NoSpec<Spec extends string> = Spec extends string
  ? FormatError<`a format spec must be [[fill]<>^][+- ][#][0][width][.precision][s?cdbBoxXaAeEfFgG], got {:${Spec}}; c, d, b, o and x allow no precision, and s, ? and c no sign, # or 0`>
  : never

type Align = '<' | '>' | '^'
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** The argument type of each conversion. Written out; for an alias, the compiler would show the name instead of the types. */
interface RealArg {
  a: number | bigint
  A: number | bigint
  e: number | bigint
  E: number | bigint
  f: number | bigint
  F: number | bigint
  g: number | bigint
  G: number | bigint
}
interface WholeArg {
  d: number | bigint | boolean
  b: number | bigint | boolean
  B: number | bigint | boolean
  o: number | bigint | boolean
  x: number | bigint | boolean
  X: number | bigint | boolean
}
interface TextArg {
  '': unknown
  s: unknown
  '?': unknown
}
interface AnyArg extends RealArg, WholeArg, TextArg {
  /** A code point, or a string for a C++ character. */
  c: number | bigint | string
}
interface PreciseArg extends RealArg, TextArg {}
/** The argument types of a spec with a sign, `#` or `0`. */
interface SignedArg extends RealArg, WholeArg {
  '': number | bigint
}
interface PreciseSignedArg extends RealArg {
  '': number | bigint
}

/**
 * The argument type that a spec requires. For an invalid spec, it is an error type, which the compiler shows at that argument.
 */
type SpecArg<Spec extends string> = Spec extends keyof AnyArg
  ? AnyArg[Spec]
  : AfterAlign<Spec> extends infer Body extends string
    ? Body extends `${'+' | '-' | ' ' | '#' | '0'}${string}`
      ? ArgBySize<AfterSign<Body>, SignedArg, PreciseSignedArg, Spec>
      : ArgBySize<Body, AnyArg, PreciseArg, Spec>
    : never

// The compiler expands a union in a pattern into one pattern for each member, but it does not expand a union that constrains an
// `infer`.
type AfterAlign<Spec extends string> = Spec extends `${infer First}${infer Second}${infer Rest}`
  ? Second extends Align
    ? First extends '{' | '}'
      ? Spec
      : Rest
    : First extends Align
      ? `${Second}${Rest}`
      : Spec
  : Spec extends Align
    ? ''
    : Spec

type AfterSign<Spec extends string> = Spec extends `${infer _Sign extends '+' | '-' | ' '}${infer Rest}`
  ? AfterHash<Rest>
  : AfterHash<Spec>
type AfterHash<Spec extends string> = Spec extends `#${infer Rest}` ? AfterZero<Rest> : AfterZero<Spec>
type AfterZero<Spec extends string> = Spec extends `0${infer Rest}` ? Rest : Spec

/** Reads width, precision and conversion. `Arg` contains the argument types without a precision, `Precise` those with one. */
type ArgBySize<Sized extends string, Arg, Precise, Spec extends string> =
  AfterSize<Sized> extends infer Rest
    ? Rest extends keyof Arg
      ? Arg[Rest]
      : Rest extends `.${infer Size}`
        ? AfterSize<Size> extends infer Type extends keyof Precise
          ? Type extends Size
            ? NoSpec<Spec>
            : Precise[Type]
          : NoSpec<Spec>
        : NoSpec<Spec>
    : never

/** Removes `{}` or up to three digits, like the run-time parser. */
type AfterSize<Spec extends string> = Spec extends `${infer _First extends Digit}${infer Rest}`
  ? Rest extends `${infer _Second extends Digit}${infer Tail}`
    ? Tail extends `${infer _Third extends Digit}${infer Last}`
      ? Last
      : Tail
    : Rest
  : Spec extends `{}${infer Rest}`
    ? Rest
    : Spec

/** A tuple with as many elements as the highest index requires. */
type Upto<Used extends Index> = [Used] extends ['0']
  ? [unknown]
  : [Used] extends ['0' | '1']
    ? [unknown, unknown]
    : [Used] extends ['0' | '1' | '2']
      ? [unknown, unknown, unknown]
      : [Used] extends ['0' | '1' | '2' | '3']
        ? [unknown, unknown, unknown, unknown]
        : UptoNine<Used>

type UptoNine<Used extends Index> = '9' extends Used
  ? [...Five, ...Five]
  : '8' extends Used
    ? [...Five, unknown, unknown, unknown, unknown]
    : '7' extends Used
      ? [...Five, unknown, unknown, unknown]
      : '6' extends Used
        ? [...Five, unknown, unknown]
        : '5' extends Used
          ? [...Five, unknown]
          : Five
type Five = [unknown, unknown, unknown, unknown, unknown]
type Index = Digit
