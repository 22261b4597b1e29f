import { AccessLogFormat } from './config.ts'
import { tagsOf, type Entry } from './entry.ts'
import { formatCombined } from './format-combined.ts'
import { formatCommon } from './format-common.ts'
import { formatJson } from './format-json.ts'
import type { Settings } from './settings.ts'
import { throttledWarning } from './throttled-warning.ts'

const warnOfFormatter = throttledWarning('customFormatter of accessLog threw')

/**
 * The text of an entry.
 *
 * @param custom Calls the application's own formatter, if there is one and it can be called
 */
export function entryText(entry: Entry, settings: Settings, custom?: () => unknown): string {
  if (settings.customFormatter !== undefined) return customText(entry, custom) ?? formatCombined(entry, settings)
  if (settings.format === AccessLogFormat.Json) return formatJson(entry, settings)
  if (settings.format === AccessLogFormat.Common) return formatCommon(entry, settings)
  return formatCombined(entry, settings)
}

function customText(entry: Entry, custom: (() => unknown) | undefined): string | undefined {
  if (custom === undefined) return undefined
  try {
    const text = custom()
    if (typeof text !== 'string') throw new TypeError(`it returned a value of type ${typeof text}`)
    return tagsOf(entry) + text
  } catch (error) {
    warnOfFormatter(error)
    return undefined
  }
}
