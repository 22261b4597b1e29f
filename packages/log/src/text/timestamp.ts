/** Formats milliseconds since the Unix epoch as `YYYY-MM-DD HH:MM:SS.mmm`. */
export type Timestamp = (timeMs: number) => string

/** Formats local time. */
export const timestamp: Timestamp = cachedBySecond(localText)

/** Formats UTC. */
export const utcTimestamp: Timestamp = cachedBySecond((date) => date.toISOString().slice(0, -4).replace('T', ' '))

const MILLISECONDS: readonly string[] = Array.from({ length: 1000 }, (_, at) => padded(at, 3))

/** Caches the text of the last second, because records arrive in bursts and the calendar computation is expensive. */
function cachedBySecond(textOf: (date: Date) => string): Timestamp {
  let second = Number.NaN
  let text = ''
  return (timeMs) => {
    const whole = Math.floor(timeMs / 1000)
    // UTC offsets change only at whole seconds, so the text is valid for the whole second.
    if (whole !== second) {
      text = textOf(new Date(whole * 1000))
      second = whole
    }
    return text + MILLISECONDS[Math.floor(timeMs - whole * 1000)]
  }
}

function localText(date: Date): string {
  const day = `${padded(date.getFullYear(), 4)}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`
  return `${day} ${padded(date.getHours())}:${padded(date.getMinutes())}:${padded(date.getSeconds())}.`
}

function padded(value: number, digits = 2): string {
  return String(value).padStart(digits, '0')
}
