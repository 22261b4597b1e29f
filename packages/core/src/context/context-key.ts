import type { ContextKey } from '@fw/types'

/**
 * Makes a name for a value of type `T` in a `Context`.
 *
 * @param name For people; two keys of the same name are two keys
 * @param hint How to provide the value, shown when it is missing
 *
 * @example
 * const User = contextKey<{ id: string }>('User', 'add router.use(auth()) before this route')
 */
export function contextKey<T>(name: string, hint?: string): ContextKey<T> {
  return Object.freeze({ name, hint })
}
