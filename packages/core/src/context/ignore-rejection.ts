/**
 * Marks the rejection of a promise as handled, and returns the promise.
 *
 * A handler can start reading now and await later. A client that disconnects in between must not cause an unhandled
 * rejection, which would end the process.
 */
export function ignoreRejection<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => {})
  return reading
}

/** Replaces methods of `target`, an object or a prototype, so that callers receive the result of `adapt`. */
export function adaptResults<T extends object>(
  target: T,
  names: readonly (keyof T)[],
  adapt: (result: never) => unknown,
): T {
  for (const name of names) {
    const method = target[name] as (...args: unknown[]) => unknown
    const value = function (this: T, ...args: unknown[]): unknown {
      return adapt(Reflect.apply(method, this, args) as never)
    }
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
  return target
}
