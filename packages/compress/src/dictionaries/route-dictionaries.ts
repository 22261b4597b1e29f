import { hash } from 'node:crypto'
import { showValue, withCode } from '@fw/options'
import type { Context, OutgoingResponse, RouteInfo } from '@fw/types'
import { isOwnRequest } from './cross-origin.ts'
import { type Dictionary, isRaw, keyOf } from './dictionary.ts'
import type { DictionarySet, ResponseDictionaries } from './dictionary-set.ts'
import { LruCache } from './lru-cache.ts'
import { audienceOf } from './privacy.ts'
import type { RouteDictionary } from './route-option.ts'
import { useAsDictionary } from './use-as-dictionary.ts'

/** Default of `maxBytes`. */
const MAX_BYTES = 262_144
/** Length of what `keyOf` returns. */
const DIGEST_LENGTH = 44

/** Earlier responses of all routes. A response is only a dictionary for its own route and host, and a private one for its session. */
export class RouteDictionaries {
  readonly #held: LruCache<Dictionary>
  readonly #sets = new WeakMap<RouteInfo, OneRoute>()
  #count = 0

  constructor(maxDictionaryBytes: number) {
    this.#held = new LruCache(maxDictionaryBytes)
  }

  /** Returns the dictionaries of a route. Routes can share one option object. */
  of(route: RouteInfo, option: RouteDictionary): DictionarySet {
    let set = this.#sets.get(route)
    if (set === undefined) {
      this.#count++
      set = new OneRoute(option, this.#held, this.#count)
      this.#sets.set(route, set)
    }
    return set
  }
}

class OneRoute implements DictionarySet {
  readonly #option: RouteDictionary
  readonly #announcement: string
  readonly #held: LruCache<Dictionary>
  readonly #number: number

  /** @param number Distinguishes routes with equal responses */
  constructor(option: RouteDictionary, held: LruCache<Dictionary>, number: number) {
    this.#option = option
    this.#announcement = useAsDictionary(option)
    this.#held = held
    this.#number = number
  }

  for(response: OutgoingResponse, ctx: Context): ResponseDictionaries | undefined {
    const owner = this.#ownerOf(response.headers, ctx)
    if (owner === undefined) return undefined
    return {
      find: (key) => this.#held.get(owner + key),
      announce: () => this.#announce(response, ctx, owner),
    }
  }

  #announce(response: OutgoingResponse, ctx: Context, owner: string): void {
    const { headers, whole, lengthBytes = 0 } = response
    const { maxBytes = MAX_BYTES } = this.#option
    if (whole === null || lengthBytes > maxBytes || !isRaw(whole)) return
    // The client decodes the body, so these bytes would not be its dictionary.
    if (headers.has('content-encoding') || headers.has('use-as-dictionary')) return
    if (!this.#held.fits(owner.length + DIGEST_LENGTH, lengthBytes)) return
    headers.set('use-as-dictionary', this.#announcement)
    if (ctx.method !== 'GET') return
    const digest = hash('sha256', whole, 'buffer')
    const key = owner + keyOf(digest)
    if (this.#held.get(key) !== undefined) return
    const bytes = typeof whole === 'string' ? new TextEncoder().encode(whole) : whole
    this.#held.add(key, { bytes, digest })
  }

  /** Returns what keys begin with: the route, the host and the session. `undefined` for a response without dictionaries. */
  #ownerOf(headers: OutgoingResponse['headers'], ctx: Context): string | undefined {
    const audience = audienceOf(headers, false)
    const route = `${this.#number} ${ctx.exchange.authority}`
    if (audience === 'public') return `${route} `
    const { session } = this.#option
    // Another site can make a browser navigate with cookies. A length on the wire must not reveal what the user sees.
    if (audience === 'not-stored' || session === undefined || !isOwnRequest(ctx.headers)) return undefined
    const key: unknown = session(ctx)
    if (key === undefined) return undefined
    if (typeof key === 'string' && key !== '') return `${route} ${key} `
    const message = `dictionary.session must return a non-empty string or undefined, got ${showValue(key)}. Return undefined without a session.`
    throw withCode('FW_INVALID_RETURN', new TypeError(message))
  }
}
