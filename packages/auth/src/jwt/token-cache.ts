import type { Principal } from '../principal.ts'

interface Entry {
  readonly principal: Principal
  readonly expiresMs: number
}

/** Caches the principals of verified tokens until the tokens expire. Removes the oldest entry when the cache is full. */
export class TokenCache {
  readonly #maxTokens: number
  readonly #entries = new Map<string, Entry>()

  constructor(maxTokens: number) {
    this.#maxTokens = maxTokens
  }

  get(token: string, nowMs: number): Principal | undefined {
    const entry = this.#entries.get(token)
    if (entry === undefined) return undefined
    if (entry.expiresMs > nowMs) return entry.principal
    this.#entries.delete(token)
    return undefined
  }

  set(token: string, principal: Principal, expiresMs: number): void {
    if (this.#maxTokens === 0) return
    if (this.#entries.size >= this.#maxTokens) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.set(token, { principal, expiresMs })
  }
}
