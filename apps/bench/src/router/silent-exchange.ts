import type { Exchange, Outcome } from '@fw/core'

type FieldList = Parameters<Exchange['respond']>[1]
type RequestHeaders = Exchange['headers']
type RequestBody = Exchange['body']
type BodyConsumer = Parameters<RequestBody['consume']>[0]

/** Exchange whose request has been received, and whose response is discarded. */
export class SilentExchange implements Exchange {
  readonly protocol = 'HTTP/1.1'
  readonly scheme = 'http'
  readonly method: string
  readonly target: string
  readonly authority = 'localhost'
  readonly headers: RequestHeaders
  readonly body: RequestBody
  readonly remoteAddress = '127.0.0.1'
  readonly remotePort = 1
  readonly isOpen = false
  readonly bufferedBytes = 0
  readonly upgrade = undefined
  readonly upgradeProtocol = undefined
  status = 0
  bodyBytes = 0
  onClose: ((outcome: Outcome) => void) | undefined = undefined
  #resolve: (() => void) | undefined = undefined

  constructor(method: string, target: string, fields: FieldList, body: Uint8Array | undefined) {
    this.method = method
    this.target = target
    this.headers = new Fields(fields)
    this.body = new WholeBody(body)
  }

  /** Resolves after the response. */
  get over(): Promise<void> {
    return new Promise((resolve) => (this.#resolve = resolve))
  }

  respond(status: number, _fields: FieldList, body: Uint8Array | string | null): void {
    this.status = status
    this.bodyBytes = body === null ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    this.onClose?.({ status, bodyBytes: this.bodyBytes, aborted: false })
    this.#resolve?.()
  }

  tunnel(): never {
    throw new Error('SilentExchange does not support tunnels')
  }

  start(): never {
    throw new Error('SilentExchange does not support streamed responses')
  }

  inform(): void {}
  write(): boolean {
    return true
  }
  async drained(): Promise<void> {}
  end(): void {}
  abort(): void {}
}

class Fields implements RequestHeaders {
  readonly #fields: FieldList

  constructor(fields: FieldList) {
    this.#fields = fields
  }

  get(name: string): string | null {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) if (fields[i] === name) return fields[i + 1] ?? ''
    return null
  }

  getAll(name: string): readonly string[] {
    const value = this.get(name)
    return value === null ? [] : [value]
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  *[Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) yield [fields[i] ?? '', fields[i + 1] ?? '']
  }
}

class WholeBody implements RequestBody {
  readonly length: number
  readonly #bytes: Uint8Array | undefined

  constructor(bytes: Uint8Array | undefined) {
    this.#bytes = bytes
    this.length = bytes?.byteLength ?? 0
  }

  consume(consumer: BodyConsumer): void {
    if (this.#bytes !== undefined) consumer.data(this.#bytes)
    consumer.end([])
  }

  pause(): void {}
  resume(): void {}
}
