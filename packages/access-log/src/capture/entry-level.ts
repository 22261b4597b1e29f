import { Level } from '@fw/log'
import type { LevelNumber } from '@fw/types'
import type { Entry } from '../entry/entry.ts'
import type { Settings } from '../config/settings.ts'

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

/**
 * Whether an entry is among those that are logged. What somebody will look for always is: errors, slow and aborted
 * requests. Chance alone decides over the others, so that no client can choose to stay out of the log.
 */
// docs/decisions/0041
export function isKept(
  { status, isSlow, isAborted }: Pick<Entry, 'status' | 'isSlow' | 'isAborted'>,
  { sampleRate }: Pick<Settings, 'sampleRate'>,
): boolean {
  return sampleRate === 1 || status >= 400 || isSlow || isAborted || Math.random() < sampleRate
}
