const DAY = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)'
const TIME = '(?<hour>[01]\\d|2[0-3]):(?<minute>[0-5]\\d):(?<second>[0-5]\\d|60)'

/** The three forms of RFC 9110 §5.6.7: IMF-fixdate, RFC 850 and asctime. Case matters. */
const FORMS = [
  new RegExp(`^${DAY}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY} ${MONTH} (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})$`),
]

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Last second of the year 9999; an HTTP-date has four digits for the year. */
const LAST_SECOND = 253_402_300_799
/** First second of the year 0. */
const FIRST_SECOND = -62_167_219_200

/**
 * Writes an IMF-fixdate.
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
 * Reads an HTTP-date in any of its three forms, and nothing else: `Date.parse` takes "2099" and reads asctime dates in
 * the local time zone.
 *
 * @returns Whole seconds since the Unix epoch, or `undefined` if the value is no HTTP-date
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

/** RFC 9110 §5.6.7: a two-digit year that seems more than 50 years ahead is the latest past year that ends so. */
function fullYear(twoDigits: number): number {
  const thisYear = new Date().getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + 50 ? year - 100 : year
}
