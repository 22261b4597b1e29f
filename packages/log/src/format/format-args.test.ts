import { describe, expect, it } from 'vitest'
import { runtime, type FormatArgs } from './format-args.ts'
import { formatMessage } from './format.ts'

/** Formats a message. Has the signature of a log method. */
function message<const F extends string>(format: F, ...args: FormatArgs<F>): string {
  return formatMessage(format, args)
}

function audit<const F extends string>(format: F, ...args: FormatArgs<F>): string {
  return message(format, ...args)
}

const text: string = 'from outside {}'
const maybe: string | undefined = undefined
const loose = JSON.parse('1')

// The compiler checks this file. It reports a valid call below `@ts-expect-error` and an invalid call anywhere else.
describe('a call that the compiler accepts', () => {
  it.each([
    [
      'any text without arguments',
      message('braces {} and {"json": 1} unchanged'),
      'braces {} and {"json": 1} unchanged',
    ],
    ['one argument for each placeholder', message('{}:{}', 'h', 80), 'h:80'],
    ['any value for {}', message('{} {} {}', undefined, { a: 1 }, maybe), 'undefined { a: 1 } undefined'],
    ['numbers for numeric conversions', message('{:.2f} {:x} {:d} {:08.3e}', 1.5, 255n, 3, 1), '1.50 ff 3 1.000e+00'],
    [
      'any value for width and text',
      message('{:>4} {:*^5} {:<} {:.1s} {:?}', 'a', 1, null, 'bc', 'q'),
      "   a **1** null b 'q'",
    ],
    ['a boolean as a whole number', message('{:d} {:#x} {:+d} {:3b}|', true, false, true, true), '1 0x0 +1   1|'],
    ['code points and text as characters', message('{:c}{:c}{:>3c}', 0x1f600, 65n, 'x'), '😀A  x'],
    ['hexadecimal numbers', message('{:a} {:.1A}', 10, 0.1), '1.4p+3 1.AP-4'],
    ['a width from an argument', message('{:{}}|{:>{}}|{:*^{}}', 'a', 3, 'b', 3n, 1, 5), 'a  |  b|**1**'],
    ['width and precision from arguments', message('{:{}.{}f}|{:8.{}}', 1.25, 6, 1, 'abc', 2), '   1.2|ab      '],
    ['width and precision by index', message('{0:{1}}|{0:.{2}f}|{0:>{1}.{2}e}', 1.5, 9, 1), '      1.5|1.5|  1.5e+00'],
    ['widths of zeros and signs', message('{:+#0{}x} {:0{}d}', 255, 7, true, 3), '+0x00ff 001'],
    ['three digits of width and precision', message('{:.100f}', 0).length, 102],
    ['sign, base and zeros', message('{:+} {:#x} {: d} {:-^#010b}', 1, 255, 2, 5), '+1 0xff  2 --0b101---'],
    ['indexes in any order', message('{1} {0} {1:>3}', 'a', 'b'), 'b a   b'],
    ['escapes', message('{{}} {} {{{}}}', 1, 2), '{} 1 {2}'],
    ['twelve arguments', message('{}{}{}{}{}{}{}{}{}{}{}{}', 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2), '123456789012'],
    ['a spread tuple', message('{} {}', ...(['a', 1] as [string, number])), 'a 1'],
    ['a string variable as the message', message(text), 'from outside {}'],
    ['a marked run-time format', message(runtime(text), 1, 2), 'from outside 1 2'],
    ['an interpolated message', message(`a ${text}`), 'a from outside {}'],
    ['untyped values', message('{} {:d}', loose, loose), '1 1'],
  ])('formats %s', (_rule, actual, expected) => {
    expect(actual).toBe(expected)
  })

  it("formats a wrapper's message, which the compiler also checks", () => {
    expect(audit('user {}', 1)).toBe('user 1')
    // @ts-expect-error -- the wrapper requires the same arguments
    expect(audit('user {}', 1, 2)).toBe('user 1 2')
  })
})

describe('a call that the compiler rejects and untyped code can make', () => {
  it.each([
    // @ts-expect-error -- one argument is missing
    ['too few arguments', message('{}:{}', 'h'), 'h:{}'],
    // @ts-expect-error -- there is one argument too many
    ['too many arguments', message('{}', 1, 2), '1 2'],
    // @ts-expect-error -- there is no placeholder
    ['arguments without a placeholder', message('failed', 1), 'failed 1'],
    // @ts-expect-error -- an escape is not a placeholder
    ['an escape with an argument', message('{{}}', 1), '{} 1'],
    // @ts-expect-error -- the format is unknown
    ['arguments to a format from outside the program', message(text, 1), 'from outside 1'],
    // @ts-expect-error -- a part of the format is unknown
    ['arguments to an interpolated format', message(`${text} {}`, 1, 2), 'from outside 1 2'],
    // @ts-expect-error -- the conversion needs a number
    ['text as a number', message('{:.2f}', 'x'), 'x'],
    // @ts-expect-error -- names are not placeholders
    ['a name', message('{name}', 1), '{name} 1'],
    // @ts-expect-error -- a brace is not closed
    ['an unclosed brace', message('a { b', 1), 'a { b 1'],
    // @ts-expect-error -- the spec is invalid
    ['an invalid spec', message('{:zz}', 1), '{:zz} 1'],
    // @ts-expect-error -- the spec is invalid
    ['an invalid spec with an index', message('{0:8q}', 1), '{0:8q} 1'],
    // @ts-expect-error -- one of the specs of the index needs a number
    ['text as a number by index', message('{0} {0:d}', 'x'), 'x x'],
    // @ts-expect-error -- a boolean is not a real number
    ['a boolean as a real number', message('{:.1f}', true), 't'],
    // @ts-expect-error -- a boolean is not a character
    ['a boolean as a character', message('{:c}', true), 'true'],
    // @ts-expect-error -- a sign needs a number
    ['a sign of text', message('{:+}', 'x'), 'x'],
    // @ts-expect-error -- zeros need a number
    ['zeros before text', message('{:05}', 'x'), 'x    '],
    // @ts-expect-error -- a boolean has a sign only as an integer
    ['a sign of a boolean', message('{:+}', true), 'true'],
    // @ts-expect-error -- text has no sign
    ['a sign of {:s}', message('{:+s}', 1), '1'],
    // @ts-expect-error -- characters have no base
    ['# of {:c}', message('{:#c}', 65), 'A'],
    // @ts-expect-error -- integers have no precision
    ['a precision of {:d}', message('{:.2d}', 1), '1'],
    // @ts-expect-error -- characters have no precision
    ['a precision of {:c}', message('{:.2c}', 65), 'A'],
    // @ts-expect-error -- the width has no argument
    ['a width without an argument', message('{:{}}', 'x'), 'x'],
    // @ts-expect-error -- the precision has no argument
    ['a precision without an argument', message('{:{}.{}f}', 1, 5), '1.000000'],
    // @ts-expect-error -- a width must be a number
    ['text as a width', message('{:{}}', 1, 'x'), '1'],
    // @ts-expect-error -- a width by index must be a number
    ['text as a width by index', message('{0:{1}}', 1, 'x'), '1'],
    // @ts-expect-error -- order and indexes are mixed
    ['a width by index in a format in order', message('{:{1}}', 1, 2), ' 1'],
    // @ts-expect-error -- order and indexes are mixed
    ['a width in order in a format by index', message('{0:{}}', 1), '1'],
    // @ts-expect-error -- only width and precision are arguments
    ['a conversion from an argument', message('{:8{}}', 1, 2), '{:8{}} 1 2'],
    // @ts-expect-error -- a fill cannot be an argument
    ['a fill from an argument', message('{:{}>5}', 1, 2), '{:{}>5} 1 2'],
    // @ts-expect-error -- a spec has one width
    ['three arguments in a spec', message('{:{}.{}{}}', 1, 2, 3, 4), '{:1.23} 4'],
    // @ts-expect-error -- a width has at most three digits
    ['four digits of width', message('{:1000}', 1), '{:1000} 1'],
    // @ts-expect-error -- digits are decimal
    ['a width in hexadecimal digits', message('{:0x1}', 1), '{:0x1} 1'],
    // @ts-expect-error -- a width has no exponent
    ['a width with an exponent', message('{:1e5}', 1), '{:1e5} 1'],
    // @ts-expect-error -- a point needs digits
    ['a point without digits', message('{:8.f}', 1), '{:8.f} 1'],
    // @ts-expect-error -- index 2 needs three arguments
    ['an index without an argument', message('{0} {2}', 1, 2), '1 {2}'],
    // @ts-expect-error -- order and indexes are mixed
    ['an index after {}', message('{} {0}', 1), '1 1'],
    // @ts-expect-error -- order and indexes are mixed
    ['{} after an index', message('{0} {}', 1, 2), '1 1 2'],
  ])('formats %s, even though the types reject the call', (_rule, actual, expected) => {
    expect(actual).toBe(expected)
  })
})
