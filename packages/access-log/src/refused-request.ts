import type { Refusal } from '@fw/types'
import { entryLevel } from './capture/entry-level.ts'
import { entryText } from './formats/entry-text.ts'
import { entryFields } from './formats/fields.ts'
import { refusedEntry } from './capture/refused-entry.ts'
import type { Settings } from './config/settings.ts'

/** Refused requests that are not logged yet, with the settings of the innermost `accessLog` called so far. */
const pending = new WeakMap<Refusal, Settings>()

/**
 * Returns a listener for refused requests. If the root router has several access logs, the outermost one is called first. The
 * entry is logged after all calls, with the settings of the innermost one.
 */
export function refusalListener(settings: Settings): (refusal: Refusal) => void {
  return (refusal) => {
    if (!pending.has(refusal)) queueMicrotask(() => logRefused(refusal))
    pending.set(refusal, settings)
  }
}

function logRefused(refusal: Refusal): void {
  const settings = pending.get(refusal)
  if (settings === undefined) return
  const { entries, skipPaths } = settings
  const entry = refusedEntry(refusal, settings)
  const level = entryLevel(entry, settings)
  if (!entries.isEnabled(level) || skipPaths.has(entry.path)) return
  entries.logData(level, entryText(entry, settings), () => entryFields(entry, settings))
}
