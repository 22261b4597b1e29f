/** An application, or a client for several servers. */
interface Fetching {
  fetch(url: string, init: RequestInit): Promise<Response>
}

/** Sends requests to an application with the cookies that it has set, like a browser. */
export class Browser {
  readonly cookies: Map<string, string> = new Map()
  readonly #app: Fetching
  readonly #origin: string

  constructor(app: Fetching, origin: string = 'https://example.org') {
    this.#app = app
    this.#origin = origin
  }

  /** Returns a browser with copies of the cookies. */
  copy(app: Fetching = this.#app): Browser {
    const copy = new Browser(app, this.#origin)
    for (const [name, value] of this.cookies) copy.cookies.set(name, value)
    return copy
  }

  get(path: string): Promise<Response> {
    return this.#send(path, {})
  }

  post(path: string, init: { headers?: Record<string, string>; body?: string } = {}): Promise<Response> {
    return this.#send(path, { method: 'POST', ...init })
  }

  async json(path: string): Promise<Record<string, unknown>> {
    return (await (await this.get(path)).json()) as Record<string, unknown>
  }

  async #send(
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) }
    const response = await this.#app.fetch(new URL(path, this.#origin).href, { ...init, headers })
    for (const field of response.headers.getSetCookie()) this.#store(field)
    return response
  }

  #store(field: string): void {
    const [pair = ''] = field.split(';')
    const name = pair.slice(0, pair.indexOf('='))
    if (/; Max-Age=0/i.test(field)) this.cookies.delete(name)
    else this.cookies.set(name, pair.slice(name.length + 1))
  }
}
