/** The text of the last second formatted; records come in bunches, and its calendar is the costly part. */
let second = Number.NaN
let secondText = ''

/** Local time as `YYYY-MM-DD HH:MM:SS.mmm`. @param timeMs Milliseconds since the Unix epoch */
export function timestamp(timeMs: number): string {
  const whole = Math.floor(timeMs / 1000)
  // Offsets from UTC change on whole seconds, so a second's text holds for all of it, and for a clock set back.
  if (whole !== second) {
    secondText = textOf(new Date(whole * 1000))
    second = whole
  }
  return secondText + String(Math.floor(timeMs - whole * 1000)).padStart(3, '0')
}

function textOf(date: Date): string {
  const day = `${padded(date.getFullYear(), 4)}-${padded(date.getMonth() + 1)}-${padded(date.getDate())}`
  return `${day} ${padded(date.getHours())}:${padded(date.getMinutes())}:${padded(date.getSeconds())}.`
}

function padded(value: number, digits = 2): string {
  return String(value).padStart(digits, '0')
}
