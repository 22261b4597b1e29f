/** Marks an error as a response. `@fw/core`, which this package does not import, uses the same symbol. */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/** The members of a problem document besides `status` and `detail`, and the fields of the response. */
interface HttpErrorDetails {
  readonly headers: Readonly<Record<string, string>>
  readonly type: string
  readonly extensions: Readonly<Record<string, unknown>>
}

/** An error that becomes a response. It has the mark and the properties of `HttpError` of `@fw/core`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly type: string
  readonly extensions: Readonly<Record<string, unknown>>

  static {
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /** @param message Text that the client receives */
  constructor(status: number, message: string, { headers, type, extensions }: HttpErrorDetails) {
    super(message)
    this.status = status
    this.headers = headers
    this.type = type
    this.extensions = extensions
  }
}
