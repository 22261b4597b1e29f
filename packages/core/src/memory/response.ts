import type { FieldList } from '@fw/types'

const NOT_READ = 0
const READ = 1
const decoder = new TextDecoder()

/**
 * Makes a `Response` of a body that is there as a whole.
 *
 * @throws {RangeError} above status 599, which a `Response` cannot have
 */
export function wholeResponse(
  status: number,
  fields: FieldList,
  body: string | Uint8Array<ArrayBuffer> | null,
): Response {
  if (status > 599) throw new RangeError(`response: status must be at most 599, got ${status}.`)
  // Not before it is needed: the first mention of `Response` has Node.js load all of `fetch`, a tenth of the start.
  if (!(WholeResponse.prototype instanceof Response)) Object.setPrototypeOf(WholeResponse.prototype, Response.prototype)
  return new WholeResponse(status, fields, body)
}

/** The same response as a `Response` without anything put off, for those who look into it by other ways than its members. */
export function plainResponse(response: Response): Response {
  return response instanceof WholeResponse ? response.toPlain() : response
}

/**
 * A `Response` whose body is there as a whole. A plain one makes a stream of its body and a `Headers` of its fields at
 * once, which takes several times as long as answering; here both are made when they are first asked for. It is one by
 * its prototype and has every member, but was not constructed as one, as that alone costs more than all of this.
 */
// docs/decisions/0021
class WholeResponse implements Response {
  readonly #status: number
  readonly #fields: FieldList
  readonly #body: string | Uint8Array<ArrayBuffer> | null
  #headers: Headers | undefined = undefined
  /** Stands in as soon as more is wanted than the bytes. */
  #plain: Response | undefined = undefined
  #state = NOT_READ

  constructor(status: number, fields: FieldList, body: string | Uint8Array<ArrayBuffer> | null) {
    this.#status = status
    this.#fields = fields
    this.#body = body
  }

  get status(): number {
    return this.#status
  }

  get ok(): boolean {
    return this.#status >= 200 && this.#status <= 299
  }

  get statusText(): string {
    return ''
  }

  get type(): Response['type'] {
    return 'default'
  }

  get url(): string {
    return ''
  }

  get redirected(): boolean {
    return false
  }

  get headers(): Headers {
    return (this.#headers ??= this.#fill(new Headers()))
  }

  get body(): Response['body'] {
    return this.#body === null ? null : this.#whole.body
  }

  get bodyUsed(): boolean {
    return this.#plain === undefined ? this.#state === READ : this.#plain.bodyUsed
  }

  async text(): Promise<string> {
    if (this.#mustDelegate) return this.#whole.text()
    const body = this.#take()
    if (typeof body !== 'string') return decoder.decode(body)
    // As UTF-8 and back: without a byte order mark and lone surrogates.
    return (body.charCodeAt(0) === 0xfeff ? body.slice(1) : body).toWellFormed()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#mustDelegate) return new Uint8Array(await this.#whole.arrayBuffer())
    const body = this.#take()
    return typeof body === 'string' ? new TextEncoder().encode(body) : body
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer } = await this.bytes()
    return buffer
  }

  blob(): Promise<Blob> {
    return this.#whole.blob()
  }

  formData(): Promise<FormData> {
    return this.#whole.formData()
  }

  textStream(): ReadableStream<string> {
    return this.#whole.textStream()
  }

  toPlain(): Response {
    return this.#whole
  }

  clone(): Response {
    return this.#whole.clone()
  }

  /** Whether the body was taken, in which way ever, or is none. */
  get #mustDelegate(): boolean {
    return this.#body === null || this.#state === READ || this.#plain !== undefined
  }

  get #whole(): Response {
    if (this.#plain === undefined) {
      this.#plain =
        this.#headers === undefined
          ? new Response(this.#body, { status: this.#status })
          : new Response(this.#body, { status: this.#status, headers: this.#headers })
      if (this.#headers === undefined) {
        // Filled in there, they are not copied. The type that a text implies is not what the application said.
        this.#plain.headers.delete('content-type')
        this.#headers = this.#fill(this.#plain.headers)
      }
      // Read before it was there: the stand-in has to know.
      if (this.#state === READ) this.#plain.arrayBuffer().catch(() => {})
    }
    return this.#plain
  }

  #fill(headers: Headers): Headers {
    const fields = this.#fields
    for (let i = 0; i < fields.length; i += 2) headers.append(fields[i] ?? '', fields[i + 1] ?? '')
    return headers
  }

  #take(): string | Uint8Array<ArrayBuffer> {
    this.#state = READ
    return this.#body ?? ''
  }
}
