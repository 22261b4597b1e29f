import { Level } from '@fw/log'
import type { LevelNumber } from '@fw/types'
import type { Entry } from './entry.ts'
import type { Settings } from './settings.ts'

/** The level of an entry; `Level.Off` means that there is none. */
export function entryLevel({ status, isSlow }: Pick<Entry, 'status' | 'isSlow'>, settings: Settings): LevelNumber {
  const { slowLevel } = settings
  const level = classLevel(status, settings)
  if (!isSlow) return level
  if (status < 400) return slowLevel
  // Off is no severity: the other one holds.
  if (level === Level.Off || slowLevel === Level.Off) return level === Level.Off ? slowLevel : level
  return level > slowLevel ? level : slowLevel
}

function classLevel(status: number, settings: Settings): LevelNumber {
  if (status >= 500) return settings.serverErrorLevel
  return status >= 400 ? settings.clientErrorLevel : settings.normalLevel
}
