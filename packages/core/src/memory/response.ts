import { withCode } from '@fw/options'
import type { FieldList } from '@fw/types'

const NOT_READ = 0
const READ = 1
const decoder = new TextDecoder()

/**
 * Creates a `Response` with a complete body.
 *
 * @throws {RangeError} if `status` is above 599, which a `Response` does not allow
 */
export function wholeResponse(
  status: number,
  fields: FieldList,
  body: string | Uint8Array<ArrayBuffer> | null,
): Response {
  if (status > 599) {
    throw withCode(
      'FW_INVALID_STATUS',
      new RangeError(`response: status must be at most 599, got ${status}. Write, for example, 500.`),
    )
  }
  // Set the prototype on first use. The first access to `Response` makes Node.js load all of `fetch`, which is a tenth
  // of the startup time.
  if (!(WholeResponse.prototype instanceof Response)) Object.setPrototypeOf(WholeResponse.prototype, Response.prototype)
  return new WholeResponse(status, fields, body)
}

/** Returns a native `Response`, for callers that do not read it through its public members. */
export function plainResponse(response: Response): Response {
  return response instanceof WholeResponse ? response.toPlain() : response
}

/**
 * A `Response` with a complete body. A native one immediately creates a stream and a `Headers`, which takes several
 * times as long as routing and responding. This class creates both on first access. The class has the prototype and
 * every member of a `Response`, but skips the native constructor, which alone costs more than this class.
 */
// docs/decisions/0021
class WholeResponse implements Response {
  readonly #status: number
  readonly #fields: FieldList
  readonly #body: string | Uint8Array<ArrayBuffer> | null
  #headers: Headers | undefined = undefined
  /** Native response that replaces this one as soon as a caller needs more than the bytes. */
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
    // Return the result of a UTF-8 round trip, which has neither a byte order mark nor lone surrogates.
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

  /** Whether the body has been read in any way, or is absent. */
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
        // Fill these headers directly, which saves a copy. Delete the type that a text body implies, because the
        // application did not set it.
        this.#plain.headers.delete('content-type')
        this.#headers = this.#fill(this.#plain.headers)
      }
      // The body was read before this response was created. Mark it as read here too.
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
