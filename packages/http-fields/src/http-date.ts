const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)'

/** The three forms of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime. They are case-sensitive. */
const FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})$`),
]

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The last second of the year 9999. The year in an HTTP-date has four digits. */
const LAST_SECOND = 253_402_300_799
/** The first second of the year 0. */
const FIRST_SECOND = -62_167_219_200

/**
 * Returns a time as an IMF-fixdate.
 *
 * @param seconds Whole seconds since the Unix epoch
 * @returns `undefined` for a time outside the years 0 to 9999
 * @see RFC 9110 §5.6.7
 */
export function formatHttpDate(seconds: number): string | undefined {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return undefined
  return new Date(seconds * 1000).toUTCString()
}

/**
 * Parses an HTTP-date in any of its three forms. Unlike `Date.parse`, this function rejects "2099" and reads asctime
 * dates as UTC.
 *
 * @returns Whole seconds since the Unix epoch, or `undefined` if the value is not an HTTP-date
 * @see RFC 9110 §5.6.7
 */
export function parseHttpDate(value: string): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(value)?.groups
    if (groups === undefined) continue
    const day = Number(groups['day'])
    const yearText = groups['year'] ?? ''
    const date = new Date(0)
    const year = yearText.length === 2 ? fullYear(Number(yearText)) : Number(yearText)
    date.setUTCFullYear(year, MONTHS.indexOf(groups['month'] ?? ''), day)
    if (date.getUTCDate() !== day) return undefined
    date.setUTCHours(Number(groups['hour']), Number(groups['minute']), Number(groups['second']))
    return date.getTime() / 1000
  }
  return undefined
}

/** Completes a two-digit year. A year more than 50 years in the future is in the past century (RFC 9110 §5.6.7). */
function fullYear(twoDigits: number): number {
  const thisYear = new Date().getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}
