import * as fc from 'fast-check'
import { threadId } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { escapeLine, escapeLines } from '../text/escape.ts'
import { formatMessage } from '../format/format.ts'
import type { Level } from '../level.ts'
import { compilePattern, type LineParts } from './pattern.ts'
import { arePlain, compilePlainForm, PlainCall } from './plain-call.ts'
import { paintLevel } from '../sinks/color.ts'

const TEXT = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.string({ minLength: 250, maxLength: 300 }))
const FORMAT = fc.oneof(
  TEXT,
  fc.constantFrom(
    '{}',
    'a {} b {}',
    '{1} {0}',
    '{} é {}',
    '{:>5} {:d}',
    '{:é>9.{}f}',
    '{:\u2028^5}{:x}',
    '{0:{1}} {2:?}',
    '{{}} {}',
    '{',
    '{}\n{}',
    '\ud83d{}\ude00',
  ),
)
const LOCATION = fc.option(fc.record({ file: TEXT, line: fc.nat(), functionName: fc.constant('') }), { nil: undefined })

it.each([false, true])('formats a call and its record identically with multiline: %j', (multiline) => {
  const parts: LineParts = { showLocation: true, showThreadId: true, showProcessId: true }
  const target = { paint: paintLevel, multiline }
  const [form, pattern] = [compilePlainForm(parts, target), compilePattern(parts, target)]
  const args = fc.array(fc.oneof(TEXT, fc.integer(), fc.double()), { maxLength: 4 })
  const prefix = fc.oneof(fc.constant(''), TEXT)
  const level = fc.nat({ max: 5 }).map((each) => each as Level)
  fc.assert(
    fc.property(level, LOCATION, prefix, FORMAT, args, (...given) => {
      const call = new PlainCall()
      call.renew(...given)
      const message = call.prefix + formatMessage(call.format, call.args)
      const { timeMs, location } = call
      const expected = pattern({ level: call.level, timeMs, location, message, threadId, fields: undefined })
      const { bytes, length } = form.lineOf(call)
      expect(Buffer.from(bytes.subarray(0, length)).toString()).toBe(`${expected}\n`)
      const shown = multiline ? escapeLines(message) : escapeLine(message)
      expect(`${form.startOf(call)}${shown}`).toBe(expected)
    }),
    { numRuns: 1000 },
  )
})

it.each([
  [[], true],
  [['a', 1, NaN, ''], true],
  [['a', 1n], false],
  [[undefined], false],
  [[{ toString: () => 'x' }], false],
])('reports whether %o is plain: %j', (args, plain) => {
  expect(arePlain(args)).toBe(plain)
})
