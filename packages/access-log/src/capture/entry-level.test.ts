import { Level, logger } from '@fw/log'
import { expect, it } from 'vitest'
import { entryLevel } from './entry-level.ts'
import { compile } from '../config/settings.ts'

const { Debug, Info, Warn, Error, Off } = Level

it.each([
  [Info, 200, false, {}],
  [Info, 399, false, {}],
  [Info, 101, false, {}],
  [Warn, 404, false, {}],
  [Warn, 499, false, {}],
  [Error, 500, false, {}],
  [Error, 999, false, {}],
  [Off, 200, false, { normalLevel: Off }],
  [Warn, 200, true, {}],
  [Debug, 200, true, { slowLevel: Debug }],
  [Warn, 200, true, { normalLevel: Off }],
  [Error, 500, true, {}],
  [Warn, 404, true, { slowLevel: Info }],
  [Error, 404, true, { slowLevel: Error }],
  [Error, 500, true, { slowLevel: Off }],
  [Warn, 404, true, { clientErrorLevel: Off }],
])('returns level %i for status %i (slow: %j) with %j', (level, status, isSlow, config) => {
  expect(entryLevel({ status, isSlow }, compile(config, logger))).toBe(level)
})
