let cached = ''
let validUntilMs = 0

/** The current time as an IMF-fixdate (RFC 9110 §5.6.7), made anew once a second. */
export function httpDate(): string {
  const now = Date.now()
  if (now >= validUntilMs || now < validUntilMs - 1000) {
    validUntilMs = now - (now % 1000) + 1000
    cached = new Date(now).toUTCString()
  }
  return cached
}
