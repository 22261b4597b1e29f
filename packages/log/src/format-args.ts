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
        ? Spec extends `${infer Head}{${infer At}`
          ? At extends ''
            ? SizedInOrder<Head, Tail, Args>
            : NoSize<At, Spec>[]
          : InOrder<Tail, [...Args, SpecArg<Spec>]>
        : Args extends []
          ? ByIndex<F, never, unknown>
          : NotInOrder<Rest>[]
  : Args

/** Goes on behind the first `{}` of a spec, for which a `}` stands in what `SpecArg` reads. */
type SizedInOrder<
  Head extends string,
  F extends string,
  Args extends unknown[],
> = F extends `${infer Type}}${infer Tail}`
  ? Type extends '.{'
    ? Tail extends `${infer Last}}${infer End}`
      ? InOrder<End, [...Args, SpecArg<`${Head}}.}${Last}`, `${Head}{}.{}${Last}`>, number | bigint, number | bigint]>
      : FormatError<Unclosed>[]
    : InOrder<Tail, [...Args, SpecArg<`${Head}}${Type}`, `${Head}{}${Type}`>, number | bigint]>
  : FormatError<Unclosed>[]

/** Walks a format with `{0}`; as many elements as the highest index used needs, `Needs` has what specs ask of them. */
type ByIndex<F extends string, Used extends Index, Needs> = F extends `${string}{${infer Rest}`
  ? Rest extends `${infer At extends Index}}${infer Tail}`
    ? ByIndex<Tail, Used | At, Needs>
    : Rest extends `${infer At extends Index}:${infer Spec}}${infer Tail}`
      ? Spec extends `${infer Head}{${infer Width}`
        ? Width extends Index
          ? SizedByIndex<Head, Width, Tail, At, Used | At | Width, Needs>
          : NoSize<Width, Spec>[]
        : ByIndex<Tail, Used | At, Needs & Need<At, SpecArg<Spec>>>
      : Rest extends `{${infer Tail}`
        ? ByIndex<Tail, Used, Needs>
        : NotByIndex<Rest>[]
  : unknown extends Needs
    ? Upto<Used>
    : Checked<Upto<Used>, Needs>

/** As `SizedInOrder`, with the index between the braces. */
type SizedByIndex<
  Head extends string,
  Width extends Index,
  F extends string,
  At extends Index,
  Used extends Index,
  Needs,
> = F extends `${infer Type}}${infer Tail}`
  ? Type extends `.{${infer Precision}`
    ? Precision extends Index
      ? Tail extends `${infer Last}}${infer End}`
        ? ByIndex<
            End,
            Used | Precision,
            Needs &
              Need<At, SpecArg<`${Head}}.}${Last}`, `${Head}{}.{}${Last}`>> &
              Need<Width | Precision, number | bigint>
          >
        : FormatError<Unclosed>[]
      : NoSize<Precision, `${Head}{${Width}}${Type}`>[]
    : ByIndex<
        Tail,
        Used,
        Needs & Need<At, SpecArg<`${Head}}${Type}`, `${Head}{}${Type}`>> & Need<Width, number | bigint>
      >
  : FormatError<Unclosed>[]

// By name, so that the compiler knows it again in the next format.
type Need<At extends Index, Arg> = { [K in At]: Arg }
type Checked<Args extends unknown[], Needs> = { [At in keyof Args]: At extends keyof Needs ? Needs[At] : unknown }

type Mixed = '{} and {0} cannot be mixed in one format'
type Unclosed = 'unclosed { in the format; write {{ for a brace'
type NotByIndex<Rest extends string> = Rest extends `}${string}` | `:${string}}${string}`
  ? FormatError<Mixed>
  : NoPlaceholder<Rest>
type NotInOrder<Rest extends string> = Rest extends `${Index}${'}' | ':'}${string}`
  ? FormatError<Mixed>
  : NoPlaceholder<Rest>
type NoSize<At, Spec extends string> = [At] extends ['' | Index] ? FormatError<Mixed> : NoSpec<Spec>
type NoPlaceholder<Rest extends string> = Rest extends `${infer Body}}${string}`
  ? FormatError<`{${Body}} is no placeholder; those are {}, {0} to {9}, {:spec} and {0:spec}`>
  : FormatError<Unclosed>

/** Kept as a conditional type: an alias by name would hide the message. */
type NoSpec<Spec extends string> = Spec extends string
  ? FormatError<`{:${Spec}} is no format spec; it is [[fill]<>^][+- ][#][0][width][.precision][s?cdbBoxXaAeEfFgG], where c d b o x take no precision and s ? c no sign, # or 0`>
  : never

type Align = '<' | '>' | '^'
type Digit = '0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'

/** By conversion, what a spec asks for; in full, as the compiler would show a name instead. */
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
  /** A code point, or text for a character of C++. */
  c: number | bigint | string
}
interface PreciseArg extends RealArg, TextArg {}
/** With a sign, `#` or `0`. */
interface SignedArg extends RealArg, WholeArg {
  '': number | bigint
}
interface PreciseSignedArg extends RealArg {
  '': number | bigint
}

/**
 * The argument a spec asks for; what is no spec asks for an error, which the compiler shows at that argument. A `}` is a
 * width or a precision from an argument; `Source` is the spec to be shown.
 */
type SpecArg<Spec extends string, Source extends string = Spec> = Spec extends keyof AnyArg
  ? AnyArg[Spec]
  : Spec extends `.${Digit}${infer Type extends keyof PreciseArg}`
    ? PreciseArg[Type]
    : AfterAlign<Spec> extends infer Body extends string
      ? Body extends `${'+' | '-' | ' ' | '#' | '0'}${string}`
        ? ArgBySize<AfterSign<Body>, SignedArg, PreciseSignedArg, Source>
        : ArgBySize<Body, AnyArg, PreciseArg, Source>
      : never

type AfterAlign<Spec extends string> = Spec extends `${infer First}${infer Rest}`
  ? Rest extends `${Align}${infer Tail}`
    ? First extends '{' | '}'
      ? Spec
      : Tail
    : First extends Align
      ? Rest
      : Spec
  : Spec

type AfterSign<Spec extends string> = Spec extends `${'+' | '-' | ' '}${infer Rest}` ? AfterHash<Rest> : AfterHash<Spec>
type AfterHash<Spec extends string> = Spec extends `#${infer Rest}` ? AfterZero<Rest> : AfterZero<Spec>
type AfterZero<Spec extends string> = Spec extends `0${infer Rest}` ? Rest : Spec

/** Reads width, precision and conversion; `Arg` and `Precise` have what conversions without and with a precision take. */
type ArgBySize<Spec extends string, Arg, Precise, Source extends string> =
  AfterSize<Spec> extends infer Rest
    ? Rest extends keyof Arg
      ? Arg[Rest]
      : Rest extends `.${infer Digits}`
        ? Digits extends `${Digit | '}'}${string}`
          ? AfterSize<Digits> extends infer Type extends keyof Precise
            ? Precise[Type]
            : NoSpec<Source>
          : NoSpec<Source>
        : NoSpec<Source>
    : never

/** Three digits at most, as at run time. */
type AfterSize<Spec extends string> = Spec extends `${Digit | '}'}${infer Rest}`
  ? Spec extends `}${string}`
    ? Rest
    : Rest extends `${Digit}${infer Tail}`
      ? Tail extends `${Digit}${infer Last}`
        ? Last
        : Tail
      : Rest
  : Spec

/** As many arguments as the highest index needs. */
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
