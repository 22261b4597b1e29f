import type { Refusal } from '@fw/types'
import { entryLevel } from './capture/entry-level.ts'
import { entryText } from './formats/entry-text.ts'
import { entryFields } from './formats/fields.ts'
import { refusedEntry } from './capture/refused-entry.ts'
import type { Settings } from './config/settings.ts'

/** Refused requests whose entry is still to come, with the settings of the innermost `accessLog` that was told. */
const pending = new WeakMap<Refusal, Settings>()

/**
 * Takes note of refused requests for one `accessLog`. Each of several on the root router is told, the outermost first:
 * the entry is made when all have been, as the innermost one wants it.
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
