/**
 * Whether a function that has to answer at once gave a promise, as an `async` one does in code without types. Its
 * rejection is caught: it would end the process.
 */
export function isForgottenPromise(value: unknown): boolean {
  if (!(value instanceof Promise)) return false
  value.catch(() => {})
  return true
}
