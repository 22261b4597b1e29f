import type { Context, Outcome, ResponseBody } from '@fw/types'

/** A body that stores written bytes. After `capacity` bytes, a write must wait until the client reads. */
export class FakeBody implements ResponseBody {
  readonly chunks: Buffer[] = []
  capacity = Infinity
  bodyBytes = 0
  bufferedBytes = 0
  ending: 'open' | 'complete' | 'aborted' | 'gone' = 'open'
  onOver: (() => void) | undefined
  #waiting: (() => void)[] = []

  get isOpen(): boolean {
    return this.ending === 'open'
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString()
  }

  write(chunk: Uint8Array): boolean {
    if (!this.isOpen) return true
    this.chunks.push(Buffer.from(chunk))
    this.bodyBytes += chunk.byteLength
    this.bufferedBytes = Math.max(0, this.bufferedBytes + chunk.byteLength - this.capacity)
    return this.bufferedBytes === 0
  }

  drained(): Promise<void> {
    if (!this.isOpen || this.bufferedBytes === 0) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Simulates a client that reads everything. */
  read(): void {
    this.bufferedBytes = 0
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  end(): void {
    this.#over('complete')
  }

  abort(): void {
    this.#over('aborted')
  }

  /** Simulates a disconnect. */
  disconnect(): void {
    this.#over('gone')
  }

  #over(how: 'complete' | 'aborted' | 'gone'): void {
    if (!this.isOpen) return
    this.ending = how
    for (const resolve of this.#waiting.splice(0)) resolve()
    this.onOver?.()
  }
}

/** Properties of a fake request. */
export interface FakeRequest {
  readonly method?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly protocol?: string
  readonly address?: string
  /** Client address from a trusted proxy. Default: the peer's address. */
  readonly clientAddress?: string
  readonly port?: number
}

/** The members of a `Context` that an event stream uses. */
export function fakeContext(request: FakeRequest = {}): {
  ctx: Context
  body: FakeBody
  head: Map<string, string>
  isHeadSent: () => boolean
  drain: () => void
} {
  const head = new Map<string, string>()
  const body = new FakeBody()
  let drain: (() => void) | undefined
  const listeners: ((outcome: Outcome) => void)[] = []
  let headSent = false
  body.onOver = () => {
    for (const listener of listeners) listener({ status: 200, bodyBytes: 0, aborted: body.ending !== 'complete' })
  }
  const ctx = {
    method: request.method ?? 'GET',
    protocol: request.protocol ?? 'HTTP/1.1',
    query: new URLSearchParams(request.query),
    headers: { get: (name: string) => request.headers?.[name] ?? null },
    responseHeaders: head,
    clientAddress: request.clientAddress ?? request.address,
    exchange: { remoteAddress: request.address, remotePort: request.port },
    get headSent() {
      return headSent
    },
    startResponse() {
      headSent = true
      return body
    },
    onFinish: (listener: (outcome: Outcome) => void) => void listeners.push(listener),
    onDrain: (listener: () => void) => void (drain = listener),
  }
  return { ctx: ctx as unknown as Context, body, head, isHeadSent: () => headSent, drain: () => drain?.() }
}
