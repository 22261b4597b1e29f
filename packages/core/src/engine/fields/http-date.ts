let cached = ''

/** Returns the current time as an IMF-fixdate (RFC 9110 §5.6.7). Caches the text until the second ends. */
export function httpDate(): string {
  if (cached === '') {
    const now = Date.now()
    cached = new Date(now).toUTCString()
    // A timer clears the cache, because reading the clock for every response would cost more than all other work on its
    // date.
    setTimeout(forget, 1000 - (now % 1000)).unref()
  }
  return cached
}

function forget(): void {
  cached = ''
}
