/**
 * Refuses options that do not exist, so that a misspelt one is not silently without effect.
 *
 * @param meant What to write for names that are known from elsewhere
 * @throws {TypeError} naming the option and those there are; if what was given is no object
 */
export function checkOptions(
  what: string,
  given: object,
  known: readonly string[],
  meant: Readonly<Record<string, string>> = {},
): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`The options of ${what} are ${JSON.stringify(given)}; an object is meant: ${known.join(', ')}`)
  }
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const hint = Object.hasOwn(meant, name) ? `write ${meant[name]}` : `there are: ${known.join(', ')}`
    throw new TypeError(`Unknown option '${name}' of ${what}; ${hint}`)
  }
}

/** A value that was given, for a message: tells the text `"1"` from the number 1, and `NaN` from nothing. */
export function showValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
