/** A value that was given, for a message: tells the text `"1"` from the number 1, and `NaN` from nothing. */
export function inWords(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}
