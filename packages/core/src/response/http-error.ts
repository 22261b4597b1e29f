import { anything, checkOptions, object, type OptionKinds, showValue, text, withFix, withCode } from '@fw/options'
import { statusPhrase } from '../engine/semantics/status-phrase.ts'
import { ResponseHeaderList } from './response-headers.ts'
import { headerEntries } from './response-init.ts'

/** Options of an `HttpError`. */
export interface HttpErrorOptions {
  /** The original error. It is logged for a status of at least 500, and never sent. */
  readonly cause?: unknown
  /** Header fields of the response, such as `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>
  /** URI reference that identifies the type of problem (RFC 9457 §3.1.1). Default: `about:blank`. */
  readonly type?: string
  /** Additional members of the problem document (RFC 9457 §3.2). */
  readonly extensions?: Readonly<Record<string, unknown>>
}

const HTTP_ERROR_KINDS: OptionKinds<HttpErrorOptions> = {
  cause: anything,
  // `headerEntries` and `ResponseHeaderList` check the fields.
  headers: anything,
  type: withFix(text, 'Write a URI reference, or omit it for about:blank.'),
  extensions: withFix(object, 'Write, for example, { retryable: true }.'),
}

/** Option names from other libraries, and their replacements. */
const MEANT: Readonly<Record<string, string>> = {
  status: 'the first argument',
  message: 'the second argument',
  detail: 'the second argument',
  errors: 'extensions: { errors }',
}

/**
 * Property that marks every `HttpError`, including those from other copies of this package and from packages that do
 * not import it.
 */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/** Makes the server respond with an error status when a handler throws it. Sends its message to the client as `detail`. */
export class HttpError extends Error {
  /** Always `HttpError`. */
  override readonly name = 'HttpError'
  /** One of `FwErrorCode` if an `@fw` package created the error. It is never sent. */
  declare readonly code: string | undefined
  /** The status of the response, from 400 to 599. */
  readonly status: number
  /** Header fields of the response. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** URI reference that identifies the type of problem; `undefined` for `about:blank`. */
  readonly type: string | undefined
  /** Additional members of the problem document. */
  readonly extensions: Readonly<Record<string, unknown>> | undefined

  static {
    // Set on the prototype, because `Object.assign(other, error)` copies own properties and must not mark `other`.
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /**
   * Creates an error whose response is a problem document (RFC 9457).
   *
   * @param status 400 to 599
   * @param message Detail for the client. Default: the reason phrase of the status, which is not sent as a detail
   * @throws {RangeError} if `status` is not an integer from 400 to 599
   * @throws {TypeError} if an option is unknown or has the wrong type, or a header field cannot be sent
   */
  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    if (!isErrorStatus(status)) {
      throw withCode(
        'FW_INVALID_STATUS',
        new RangeError(
          `HttpError: status must be an integer from 400 to 599, got ${showValue(status)}. Write, for example, 404.`,
        ),
      )
    }
    checkOptions('HttpError', options, HTTP_ERROR_KINDS, MEANT)
    super(message ?? statusPhrase(status), 'cause' in options ? { cause: options.cause } : undefined)
    // Check the fields now, so that the stack trace shows the caller.
    const checked = new ResponseHeaderList()
    for (const [name, value] of headerEntries(options.headers ?? {})) checked.append(name, value)
    this.status = status
    this.headers = options.headers
    this.type = options.type
    this.extensions = options.extensions
  }
}

/**
 * Reports whether a thrown value is a marked error with an error status. A `name` or `status` alone does not count,
 * because HTTP clients set both on errors whose messages must stay private.
 */
export function isHttpError(error: unknown): error is HttpError {
  return (
    error instanceof Error && Reflect.get(error, HTTP_ERROR) === true && isErrorStatus(Reflect.get(error, 'status'))
  )
}

function isErrorStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
}
