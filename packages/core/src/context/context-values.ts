import { showValue, withCode } from '@fw/options'
import type { ContextToken, ContextKey } from '@fw/types'

/** Stores a context value, or the function that creates it on first access. */
class Slot {
  readonly token: ContextToken<unknown>
  readonly next: Slot | undefined
  #value: unknown = undefined
  #make: (() => unknown) | undefined = undefined
  #isMaking = false

  constructor(token: ContextToken<unknown>, next: Slot | undefined) {
    this.token = token
    this.next = next
  }

  /** The value. Calls `make` on first access; if that throws, the next access calls it again. */
  get value(): unknown {
    return this.#make === undefined ? this.#value : this.#made(this.#make)
  }

  set value(value: unknown) {
    this.#value = value
    this.#make = undefined
  }

  provide(make: () => unknown): void {
    this.#make = make
    this.#isMaking = false
  }

  #made(make: () => unknown): unknown {
    if (this.#isMaking) {
      throw withCode(
        'FW_CIRCULAR_VALUE',
        new Error(`ctx.provide: the function for ${this.token.name} must not read the same value. Read another key.`),
      )
    }
    this.#isMaking = true
    try {
      const value = make()
      // `make` can call `ctx.set` for the same token. The result of `make` takes precedence.
      this.value = value
      return value
    } finally {
      this.#isMaking = false
    }
  }
}

/** Stores a context's values in a linked list, which is cheaper than a `Map` for a few values. */
export class ContextValues {
  #last: Slot | undefined = undefined

  set<T>(token: ContextToken<T>, value: T): void {
    this.#slotFor(token).value = value
  }

  provide<T>(token: ContextToken<T>, make: () => T): void {
    this.#slotFor(token).provide(make)
  }

  has(token: ContextToken<unknown>): boolean {
    return this.#find(token) !== undefined
  }

  /** Returns the value, creating it on first access; `undefined` if none was set. */
  get<T>(token: ContextToken<T>): T | undefined {
    return this.#find(token)?.value as T | undefined
  }

  #find(token: ContextToken<unknown>): Slot | undefined {
    let slot = this.#last
    while (slot !== undefined && slot.token !== token) slot = slot.next
    return slot
  }

  #slotFor(token: ContextToken<unknown>): Slot {
    return this.#find(token) ?? (this.#last = new Slot(checkToken(token), this.#last))
  }
}

/** Rejects a string, which other libraries use as a key and which JavaScript callers can pass. */
function checkToken<T extends ContextToken<unknown>>(token: T): T {
  if (typeof token === 'function' || (typeof token === 'object' && token !== null)) return token
  const given = showValue(token)
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(`Context: key must be a class or a context key, got ${given}. Use contextKey(${given}).`),
  )
}

/** Creates the error for `ctx.local`, with the token's name and hint. */
export function missingValue(given: ContextToken<unknown>): Error {
  const token = checkToken(given)
  const hint = 'prototype' in token ? token.contextHint : token.hint
  return withCode(
    'FW_MISSING_VALUE',
    new Error(`Nothing provides ${token.name} here${hint === undefined ? '' : `: ${hint}`}`),
  )
}

/**
 * Creates a key for a value of type `T` in a `Context`.
 *
 * @param name Name in error messages. Two keys with the same name are different keys
 * @param hint How to provide the value, for the error about a missing value
 *
 * @example
 * const User = contextKey<{ id: string }>('User', 'add router.use(auth()) before this route')
 */
export function contextKey<T>(name: string, hint?: string): ContextKey<T> {
  return Object.freeze({ name, hint })
}
