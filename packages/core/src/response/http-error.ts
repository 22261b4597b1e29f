import { anything, checkOptions, object, type OptionKinds, showValue, text, withFix } from '@fw/options'
import { statusPhrase } from '../engine/semantics/status-phrase.ts'
import { ResponseHeaderList } from './response-headers.ts'
import { headerEntries } from './response-init.ts'

/** What an `HttpError` may carry beside status and message. */
export interface HttpErrorOptions {
  /** What led to it; for the log, never sent. */
  readonly cause?: unknown
  /** Header fields of the response, such as `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>
  /** URI reference that names the kind of problem (RFC 9457 §3.1.1); `about:blank` unless given. */
  readonly type?: string
  /** Further members of the problem document (RFC 9457 §3.2). */
  readonly extensions?: Readonly<Record<string, unknown>>
}

const HTTP_ERROR_KINDS: OptionKinds<HttpErrorOptions> = {
  cause: anything,
  // `headerEntries` and `ResponseHeaderList` check the fields.
  headers: anything,
  type: withFix(text, 'Write a URI reference, or omit it for about:blank.'),
  extensions: withFix(object, 'Write for example { retryable: true }.'),
}

/** What to write instead of names from other libraries. */
const MEANT: Readonly<Record<string, string>> = {
  status: 'the first argument',
  message: 'the second argument',
  detail: 'the second argument',
  errors: 'extensions: { errors }',
}

/** Marks each `HttpError` of this package, of its other copies in the process, and of packages that do not import it. */
const HTTP_ERROR = Symbol.for('@fw/core: HttpError')

/** A response with an error status, thrown. Its message is sent to the client as the problem's `detail`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly type: string | undefined
  readonly extensions: Readonly<Record<string, unknown>> | undefined

  static {
    // On the prototype: `Object.assign(other, error)` copies own properties, and must not mark another error.
    Object.defineProperty(this.prototype, HTTP_ERROR, { value: true })
  }

  /**
   * @param status 400 to 599
   * @param message For the client; without one it is told the status only
   * @throws {RangeError} if the status is no error status
   * @throws {TypeError} if an option does not exist or has the wrong type, or a header field cannot be sent
   */
  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    if (!isErrorStatus(status)) {
      throw new RangeError(`HttpError: status must be an integer from 400 to 599, got ${showValue(status)}.`)
    }
    checkOptions('HttpError', options, HTTP_ERROR_KINDS, MEANT)
    super(message ?? statusPhrase(status), 'cause' in options ? { cause: options.cause } : undefined)
    // Refused here, where they are given, and not where the response is made.
    const checked = new ResponseHeaderList()
    for (const [name, value] of headerEntries(options.headers ?? {})) checked.append(name, value)
    this.status = status
    this.headers = options.headers
    this.type = options.type
    this.extensions = options.extensions
  }
}

/**
 * Reports whether a thrown value is a marked error with an error status. A `name` or `status` alone does not count: HTTP
 * clients set both on errors whose messages must stay private.
 */
export function isHttpError(error: unknown): error is HttpError {
  return (
    error instanceof Error && Reflect.get(error, HTTP_ERROR) === true && isErrorStatus(Reflect.get(error, 'status'))
  )
}

function isErrorStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
}
