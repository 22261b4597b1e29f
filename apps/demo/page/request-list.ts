import type { RequestMessage } from '../src/live/messages.ts'

/** The requests that the list shows. */
export type Only = 'all' | 'mine' | 'failed'

/** Maximum number of requests that the page keeps. */
const MAX_REQUESTS = 200

/** Number of requests below which the list counts as short. */
const FEW = 10

/** Stores the requests that the page has received, newest first, and selects those to show. */
export class RequestList {
  visitor = ''
  only: Only = 'all'
  query = ''
  #requests: RequestMessage[] = []
  readonly #ids = new Set<string>()

  /** Reports whether the page has received any request. */
  get isEmpty(): boolean {
    return this.#requests.length === 0
  }

  /** Reports whether the page has received only a few requests, such as those for its own files. */
  get isShort(): boolean {
    return this.#requests.length < FEW
  }

  /** Adds requests, the oldest first. Ignores requests that a reconnected stream repeats. Returns the new ones. */
  add(requests: readonly RequestMessage[]): readonly RequestMessage[] {
    const fresh = requests.filter(({ id }) => !this.#ids.has(id))
    for (const { id } of fresh) this.#ids.add(id)
    this.#requests = [...fresh.toReversed(), ...this.#requests]
    for (const { id } of this.#requests.splice(MAX_REQUESTS)) this.#ids.delete(id)
    return fresh
  }

  find(id: string): RequestMessage | undefined {
    return this.#requests.find((request) => request.id === id)
  }

  isOwn({ by }: RequestMessage): boolean {
    return by === this.visitor
  }

  /** Returns the requests that match the filter, the newest first. */
  get shown(): readonly RequestMessage[] {
    const words = this.query.toLowerCase().split(/\s+/).filter(Boolean)
    return this.#requests.filter((request) => {
      if (this.only === 'mine' && !this.isOwn(request)) return false
      if (this.only === 'failed' && request.status < 400) return false
      const text = `${request.protocol} ${request.method} ${request.path} ${request.status}`.toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }

  /** Returns the request `distance` rows after another one; the first request if the list does not show the other one. */
  neighbor(id: string | undefined, by: number): RequestMessage | undefined {
    const { shown } = this
    const at = shown.findIndex((request) => request.id === id)
    return at === -1 ? shown[0] : shown[Math.min(shown.length - 1, Math.max(0, at + by))]
  }
}
