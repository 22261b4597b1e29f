/**
 * Reports whether a value is a promise, or an object with `then()` from another promise library. Without `await`, such an
 * object would be mistaken for the result.
 */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
