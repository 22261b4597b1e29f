import type { ContextToken } from '@fw/types'

/** A value that is made when first asked for. */
class Provision {
  readonly #make: () => unknown
  #isMaking = false

  constructor(make: () => unknown) {
    this.#make = make
  }

  make(name: string): unknown {
    if (this.#isMaking) throw new Error(`Cannot provide ${name}: making it asks for it`)
    this.#isMaking = true
    try {
      return this.#make()
    } finally {
      this.#isMaking = false
    }
  }
}

/** The values of one context by their tokens. */
export class ContextValues {
  readonly #values = new Map<ContextToken<unknown>, unknown>()

  set<T>(token: ContextToken<T>, value: T): void {
    this.#values.set(token, value)
  }

  provide<T>(token: ContextToken<T>, make: () => T): void {
    this.#values.set(token, new Provision(make))
  }

  has(token: ContextToken<unknown>): boolean {
    return this.#values.has(token)
  }

  /** The value, made now if it was provided; `undefined` without one. A `make` that throws is asked again next time. */
  get<T>(token: ContextToken<T>): T | undefined {
    const found = this.#values.get(token)
    if (!(found instanceof Provision)) return found as T | undefined
    const value = found.make(token.name)
    this.#values.set(token, value)
    return value as T
  }
}

/** What `local` throws: the token and how to provide it. */
export function missingValue(token: ContextToken<unknown>): Error {
  const hint = 'prototype' in token ? token.contextHint : token.hint
  return new Error(`Nothing provides ${token.name} here${hint === undefined ? '' : `: ${hint}`}`)
}
