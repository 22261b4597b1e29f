import { showType, withCode } from '@fw/options'
import type { Context } from '@fw/types'
import { AccessLogFormat } from '../config/config.ts'
import { tagsOf, type Entry } from '../entry/entry.ts'
import { isForgottenPromise, throttledWarning } from '../throttled-warning.ts'
import { formatCombined } from './combined.ts'
import { escapeWord } from './escape.ts'
import { formatCommon } from './common.ts'
import { formatJson } from './json.ts'
import type { Settings } from '../config/settings.ts'

const warnOfFormatter = throttledWarning('customFormatter of accessLog threw')

/** Returns the text of an entry. Uses the format Combined if a custom formatter fails. */
export function entryText(entry: Entry, settings: Settings): string {
  if (settings.customFormatter !== undefined) return formatCombined(entry, settings)
  if (settings.format === AccessLogFormat.Json) return formatJson(entry, settings)
  if (settings.format === AccessLogFormat.Common) return formatCommon(entry, settings)
  if (settings.format === AccessLogFormat.Fields) return summaryOf(entry)
  return formatCombined(entry, settings)
}

/** Returns the short text of an entry whose content is in its fields. */
function summaryOf(entry: Entry): string {
  return `${tagsOf(entry)}${escapeWord(entry.method)} ${escapeWord(entry.path)} ${entry.status}`
}

/** Returns the text from the application's formatter; `undefined` if there is none or it fails. */
export function customText(ctx: Context, entry: Entry, { customFormatter }: Settings): string | undefined {
  if (customFormatter === undefined) return undefined
  try {
    const text: unknown = customFormatter(ctx, entry.durationNs, entry)
    if (isForgottenPromise(text))
      throw withCode(
        'FW_INVALID_RETURN',
        new TypeError('accessLog: customFormatter must return a string, got a promise. Make it synchronous.'),
      )
    if (typeof text !== 'string') {
      throw withCode(
        'FW_INVALID_RETURN',
        new TypeError(
          `accessLog: customFormatter must return a string, got ${showType(text)}. Return the text of the entry.`,
        ),
      )
    }
    return tagsOf(entry) + text
  } catch (error) {
    warnOfFormatter(error)
    return undefined
  }
}
