import type { Entry } from './entry.ts'
import type { Settings } from './settings.ts'

/**
 * Whether an entry is among those that are logged. What somebody will look for always is: errors, slow and aborted
 * requests. Chance alone decides over the others, so that no client can choose to stay out of the log.
 */
export function isKept(
  { status, isSlow, isAborted }: Pick<Entry, 'status' | 'isSlow' | 'isAborted'>,
  { sampleRate }: Pick<Settings, 'sampleRate'>,
): boolean {
  return sampleRate === 1 || status >= 400 || isSlow || isAborted || Math.random() < sampleRate
}
