import { expect, it } from 'vitest'
import { Level } from '../level.ts'
import { colorModeKind, paintLevel, wantsColor } from './color.ts'
import { ConsoleSink, type ConsoleSinkConfig } from './console-sink.ts'

it.each([
  ['always', {}, false, true],
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', {}, true, false],
  ['never', { FORCE_COLOR: '1' }, true, false],
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { TERM: 'dumb' }, true, false],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '' }, false, true],
  ['auto', { FORCE_COLOR: '3', NO_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: 'false' }, true, false],
] as const)('maps mode %s, environment %o and terminal %s to %s', (mode, env, isTerminal, expected) => {
  expect(wantsColor(mode, env, isTerminal)).toBe(expected)
})

it.each([
  ['Trace', '\u001b[2m\u001b[90mx\u001b[39m\u001b[22m'],
  ['Debug', '\u001b[36mx\u001b[39m'],
  ['Info', '\u001b[32mx\u001b[39m'],
  ['Warn', '\u001b[33mx\u001b[39m'],
  ['Error', '\u001b[31mx\u001b[39m'],
  ['Fatal', '\u001b[1m\u001b[31mx\u001b[39m\u001b[22m'],
  ['Off', 'x'],
] as const)('paints %s', (level, painted) => {
  expect(paintLevel('x', Level[level])).toBe(painted)
})

it.each(['yes', true, 1, null])('rejects the mode %j', (mode) => {
  expect(colorModeKind.accepts(mode)).toBe(false)
  expect(() => new ConsoleSink({ colorMode: mode } as unknown as ConsoleSinkConfig)).toThrow(
    /^ConsoleSink: option "colorMode" must be "auto", "always" or "never", got /,
  )
})
