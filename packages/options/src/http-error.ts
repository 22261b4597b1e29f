/** Property that marks an error as a response. `@fw/core`, which imports this package, uses the same symbol. */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/**
 * Makes the server respond with an error status. It has the same mark and properties as `HttpError` from `@fw/core`, for
 * packages that do not import `@fw/core`.
 */
export class HttpError extends Error {
  /** Always `HttpError`. */
  override readonly name = 'HttpError'
  /** The status of the response, from 400 to 599. */
  readonly status: number
  /** Header fields of the response. */
  readonly headers: Readonly<Record<string, string>>
  /** URI reference that identifies the type of problem; `undefined` for `about:blank`. */
  readonly type: string | undefined
  /** Additional members of the problem document. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined

  static {
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /**
   * Creates an error whose response is a problem document (RFC 9457).
   *
   * @param status 400 to 599
   * @param message Text that the client receives
   * @param headers Header fields of the response
   * @param problem Type and additional members of the problem document
   */
  constructor(
    status: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    problem: Partial<Pick<HttpError, 'type' | 'extensions'>> = {},
  ) {
    super(message)
    this.status = status
    this.headers = headers
    this.type = problem.type
    this.extensions = problem.extensions
  }
}
