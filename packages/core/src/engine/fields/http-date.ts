let cached = ''

/** The current time as an IMF-fixdate (RFC 9110 §5.6.7), made anew once a second while somebody asks. */
export function httpDate(): string {
  if (cached === '') {
    const now = Date.now()
    cached = new Date(now).toUTCString()
    // A timer, as asking the clock for every response would cost more than all the rest of its date.
    setTimeout(forget, 1000 - (now % 1000)).unref()
  }
  return cached
}

function forget(): void {
  cached = ''
}
