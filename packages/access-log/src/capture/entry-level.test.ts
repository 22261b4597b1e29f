import { Level, logger } from '@fw/log'
import { expect, it } from 'vitest'
import { entryLevel } from './entry-level.ts'
import { compile } from '../config/settings.ts'

const { Debug, Info, Warn, Error, Off } = Level

it.each([
  [{}, 200, false, Info],
  [{}, 399, false, Info],
  [{}, 101, false, Info],
  [{}, 404, false, Warn],
  [{}, 499, false, Warn],
  [{}, 500, false, Error],
  [{}, 999, false, Error],
  [{ normalLevel: Off }, 200, false, Off],
  [{}, 200, true, Warn],
  [{ slowLevel: Debug }, 200, true, Debug],
  [{ normalLevel: Off }, 200, true, Warn],
  [{}, 500, true, Error],
  [{ slowLevel: Info }, 404, true, Warn],
  [{ slowLevel: Error }, 404, true, Error],
  [{ slowLevel: Off }, 500, true, Error],
  [{ clientErrorLevel: Off }, 404, true, Warn],
])('returns with %j for a %i, slow: %j, the level %i', (config, status, isSlow, level) => {
  expect(entryLevel({ status, isSlow }, compile(config, logger))).toBe(level)
})
