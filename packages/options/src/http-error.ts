/** Marks an error as a response. `@fw/core`, which imports this package, uses the same symbol. */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/**
 * Makes the server respond with an error status. It has the mark and the properties of `HttpError` of `@fw/core`, for packages
 * that do not import it.
 */
export class HttpError extends Error {
  /** Always `HttpError`. */
  override readonly name = 'HttpError'
  /** The status of the response, from 400 to 599. */
  readonly status: number
  /** Header fields of the response. */
  readonly headers: Readonly<Record<string, string>>

  static {
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /**
   * Creates an error whose response is a problem document (RFC 9457).
   *
   * @param status 400 to 599
   * @param message Text that the client receives
   */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}
