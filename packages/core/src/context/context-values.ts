import { showValue } from '@fw/options'
import type { ContextToken, ContextKey } from '@fw/types'

/** A value of a context, or what makes it when it is first asked for. */
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

  /** The value, made now if it was provided. A `make` that throws is asked again next time. */
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
    if (this.#isMaking) throw new Error(`Cannot provide ${this.token.name}: making it asks for it`)
    this.#isMaking = true
    try {
      const value = make()
      // Making it may have set it to something else; the maker has the last word.
      this.value = value
      return value
    } finally {
      this.#isMaking = false
    }
  }
}

/** The values of one context by their tokens: a list, as they are few and a map takes longer to make than to look through this. */
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

  /** The value, made now if it was provided; `undefined` without one. */
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

/** Programs without types give names, as elsewhere. */
function checkToken<T extends ContextToken<unknown>>(token: T): T {
  if (typeof token === 'function' || (typeof token === 'object' && token !== null)) return token
  const given = showValue(token)
  throw new TypeError(`Context: key must be a class or a context key, got ${given}. Use contextKey(${given}).`)
}

/** What `local` throws: the token and how to provide it. */
export function missingValue(given: ContextToken<unknown>): Error {
  const token = checkToken(given)
  const hint = 'prototype' in token ? token.contextHint : token.hint
  return new Error(`Nothing provides ${token.name} here${hint === undefined ? '' : `: ${hint}`}`)
}

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
