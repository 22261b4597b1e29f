import { showValue } from '@fw/options'
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

/** A response with an error status, thrown. Its message is sent to the client as the problem's `detail`. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly type: string | undefined
  readonly extensions: Readonly<Record<string, unknown>> | undefined

  /**
   * @param status 400 to 599
   * @param message For the client; without one it is told the status only
   * @throws {RangeError} if the status is no error status
   * @throws {TypeError} if a header field cannot be sent
   */
  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    if (!isErrorStatus(status)) {
      throw new RangeError(`HttpError: status must be an integer from 400 to 599, got ${showValue(status)}.`)
    }
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
 * Whether something thrown is an `HttpError`, of this or another copy of the package, or an error of a package that
 * does without this one: an `Error` named `HttpError` with an error status.
 */
export function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && error.name === 'HttpError' && 'status' in error && isErrorStatus(error.status)
}

function isErrorStatus(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599
}
