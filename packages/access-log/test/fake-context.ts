import type { Context, ContextToken, Outcome } from '@fw/types'

/** A request for a test. Text values are bytes, one character each. */
export interface FakeRequest {
  readonly method?: string
  readonly path?: string
  readonly rawQuery?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly remoteAddress?: string | undefined
  readonly protocol?: Context['protocol']
}

/** Returns request or response fields like those of a `Context`. */
export function fakeHeaders(fields: FakeRequest['headers'] = {}): Context['headers'] {
  const byName = new Map(Object.entries(fields))
  const getAll = (name: string): readonly string[] => [byName.get(name.toLowerCase()) ?? []].flat()
  const headers = {
    get: (name: string) => (getAll(name).length === 0 ? null : getAll(name).join(', ')),
    getAll,
    has: (name: string) => getAll(name).length > 0,
  }
  return headers as unknown as Context['headers']
}

/** The part of a `Context` that an access log needs, and a function that ends its exchange. */
export interface FakeContext {
  readonly ctx: Context
  readonly finish: (outcome?: Partial<Outcome>) => void
}

export function fakeContext(request: FakeRequest = {}, responseHeaders: FakeRequest['headers'] = {}): FakeContext {
  const values = new Map<unknown, () => unknown>()
  const listeners: ((outcome: Outcome) => void)[] = []
  const ctx = {
    method: request.method ?? 'GET',
    path: request.path ?? '/',
    rawQuery: request.rawQuery ?? '',
    headers: fakeHeaders(request.headers),
    remoteAddress: 'remoteAddress' in request ? request.remoteAddress : '127.0.0.1',
    protocol: request.protocol ?? 'HTTP/1.1',
    status: 200,
    responseHeaders: fakeHeaders(responseHeaders),
    set: (token: ContextToken<unknown>, value: unknown) => void values.set(token, () => value),
    provide(token: ContextToken<unknown>, make: () => unknown) {
      let made: unknown
      values.set(token, () => (made ??= make()))
    },
    get: (token: ContextToken<unknown>) => values.get(token)?.() ?? null,
    local(token: ContextToken<unknown>) {
      const make = values.get(token)
      if (make === undefined) throw new Error(`Nothing provides ${token.name}`)
      return make()
    },
    onFinish: (listener: (outcome: Outcome) => void) => void listeners.push(listener),
  }
  return {
    ctx: ctx as unknown as Context,
    finish(outcome) {
      for (const listener of listeners) listener({ status: ctx.status, bodyBytes: 0, aborted: false, ...outcome })
    },
  }
}
