import { describe, expect, it } from 'vitest'
import { runtime, type FormatArgs } from './format-args.ts'
import { formatMessage } from './format.ts'

/** Takes what a log method takes. */
function message<const F extends string>(format: F, ...args: FormatArgs<F>): string {
  return formatMessage(format, args)
}

function audit<const F extends string>(format: F, ...args: FormatArgs<F>): string {
  return message(format, ...args)
}

const text: string = 'from outside {}'
const maybe: string | undefined = undefined
const loose = JSON.parse('1')

// The compiler checks this file: a call below `@ts-expect-error` that it accepts is an error, as is any other it refuses.
describe('what the compiler accepts', () => {
  it.each([
    [
      'no arguments: anything is the message',
      message('braces {} and {"json": 1} as they are'),
      'braces {} and {"json": 1} as they are',
    ],
    ['one argument for each placeholder', message('{}:{}', 'h', 80), 'h:80'],
    ['any value for {}', message('{} {} {}', undefined, { a: 1 }, maybe), 'undefined { a: 1 } undefined'],
    [
      'numbers for conversions of numbers',
      message('{:.2f} {:x} {:d} {:08.3e}', 1.5, 255n, 3, 1),
      '1.50 ff 3 1.000e+00',
    ],
    [
      'any value for width and text',
      message('{:>4} {:*^5} {:<} {:.1s} {:?}', 'a', 1, null, 'bc', 'q'),
      "   a **1** null b 'q'",
    ],
    ['sign, base and zeros', message('{:+} {:#x} {: d} {:-^#010b}', 1, 255, 2, 5), '+1 0xff  2 --0b101---'],
    ['indexes in any order', message('{1} {0} {1:>3}', 'a', 'b'), 'b a   b'],
    ['escapes', message('{{}} {} {{{}}}', 1, 2), '{} 1 {2}'],
    ['twelve arguments', message('{}{}{}{}{}{}{}{}{}{}{}{}', 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2), '123456789012'],
    ['a spread tuple', message('{} {}', ...(['a', 1] as [string, number])), 'a 1'],
    ['a string variable as the message', message(text), 'from outside {}'],
    ['a marked run-time format', message(runtime(text), 1, 2), 'from outside 1 2'],
    ['an interpolated message', message(`a ${text}`), 'a from outside {}'],
    ['untyped values', message('{} {:d}', loose, loose), '1 1'],
  ])('%s', (_rule, actual, expected) => {
    expect(actual).toBe(expected)
  })

  it('a wrapper that forwards the check', () => {
    expect(audit('user {}', 1)).toBe('user 1')
    // @ts-expect-error -- the wrapper asks for the same
    expect(audit('user {}', 1, 2)).toBe('user 1 2')
  })
})

describe('what the compiler refuses, and what untyped code gets for it', () => {
  it.each([
    // @ts-expect-error -- one argument is missing
    ['too few', message('{}:{}', 'h'), 'h:{}'],
    // @ts-expect-error -- one argument is left over
    ['too many', message('{}', 1, 2), '1 2'],
    // @ts-expect-error -- no placeholder
    ['arguments without a placeholder', message('failed', 1), 'failed 1'],
    // @ts-expect-error -- an escape is no placeholder
    ['an escape taken for a placeholder', message('{{}}', 1), '{} 1'],
    // @ts-expect-error -- the format is not known
    ['arguments to a format from outside', message(text, 1), 'from outside 1'],
    // @ts-expect-error -- the format is not known as a whole
    ['arguments to an interpolated format', message(`${text} {}`, 1, 2), 'from outside 1 2'],
    // @ts-expect-error -- text where a number is converted
    ['text as a number', message('{:.2f}', 'x'), 'x'],
    // @ts-expect-error -- names are no placeholders
    ['a name', message('{name}', 1), '{name} 1'],
    // @ts-expect-error -- an unclosed brace
    ['an unclosed brace', message('a { b', 1), 'a { b 1'],
    // @ts-expect-error -- no such spec
    ['a bad spec', message('{:zz}', 1), '{:zz} 1'],
    // @ts-expect-error -- no such spec
    ['a bad spec with an index', message('{0:8q}', 1), '{0:8q} 1'],
    // @ts-expect-error -- widths are literals
    ['a width from an argument', message('{:{}}', 1, 2), '{:1} 2'],
    // @ts-expect-error -- index 2 needs three arguments
    ['an index without an argument', message('{0} {2}', 1, 2), '1 {2}'],
    // @ts-expect-error -- either order or indexes
    ['an index after {}', message('{} {0}', 1), '1 1'],
    // @ts-expect-error -- either order or indexes
    ['{} after an index', message('{0} {}', 1, 2), '1 1 2'],
  ])('%s', (_rule, actual, expected) => {
    expect(actual).toBe(expected)
  })
})
