/**
 * Marks the rejection of a promise as handled, and returns the promise.
 *
 * A handler may start reading now and await later. In between a client that goes away must not become an unhandled
 * rejection, which would end the process.
 */
export function ignoreRejection<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => {})
  return reading
}

/** Replaces methods of `target`, an object or a prototype, so that `adapt` gets what they return. */
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
