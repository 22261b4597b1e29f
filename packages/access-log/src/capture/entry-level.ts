import { Level } from '@fw/log'
import type { LevelNumber } from '@fw/types'
import type { Entry } from '../entry/entry.ts'
import type { Settings } from '../config/settings.ts'

/** Returns the level of an entry; `Level.Off` if it is not logged. */
export function entryLevel({ status, isSlow }: Pick<Entry, 'status' | 'isSlow'>, settings: Settings): LevelNumber {
  const { slowLevel } = settings
  const level = classLevel(status, settings)
  if (!isSlow) return level
  if (status < 400) return slowLevel
  // Off is not a severity, so use the other level.
  if (level === Level.Off || slowLevel === Level.Off) return level === Level.Off ? slowLevel : level
  return level > slowLevel ? level : slowLevel
}

function classLevel(status: number, settings: Settings): LevelNumber {
  if (status >= 500) return settings.serverErrorLevel
  return status >= 400 ? settings.clientErrorLevel : settings.normalLevel
}

/**
 * Reports whether sampling keeps an entry. Always keeps the entries of errors, slow requests and aborted requests.
 * Chooses the others at random, so that no client can keep its requests out of the log.
 */
// docs/decisions/0041
export function isKept(
  { status, isSlow, isAborted }: Pick<Entry, 'status' | 'isSlow' | 'isAborted'>,
  { sampleRate }: Pick<Settings, 'sampleRate'>,
): boolean {
  return sampleRate === 1 || status >= 400 || isSlow || isAborted || Math.random() < sampleRate
}
