import { type Coded, withCode } from './error-code.ts'

/** The parts of an error message about one option. */
export interface InvalidOption {
  /** The called function or class, as its caller writes it: `listen`, `FileSink`. */
  readonly api: string
  /** The option, with a dot before each nested name: `limits.maxBodyBytes`. */
  readonly name: string
  /** The text that completes "must be …", for example "a positive integer". */
  readonly expected: string
  /** The received value, as `showValue` formats it. */
  readonly got: string
  /** One sentence that explains how to correct the call. */
  readonly fix?: string | undefined
  /** Whether the type is right and only the value is out of range. */
  readonly isRange?: boolean | undefined
  /** The error that explains why the value is invalid. */
  readonly cause?: unknown
}

/** An error about an option. `api` and `option` repeat parts of the message, so that applications do not need to parse it. */
export type OptionError = Coded<TypeError | RangeError> &
  Pick<InvalidOption, 'api'> & {
    /** The name of the option, such as `limits.maxBodyBytes`. */
    readonly option: string
  }

/**
 * Creates the error for an option with an invalid value, in the form that every package uses. Its code is
 * `FW_INVALID_OPTION`.
 *
 * @returns A `RangeError` if the type is right but the value is out of range, otherwise a `TypeError`
 *
 * @example
 * optionError({ api: 'listen', name: 'port', expected: 'an integer from 0 to 65535', got: '70000', isRange: true })
 * // RangeError: listen: option "port" must be an integer from 0 to 65535, got 70000. Omit it to use the default.
 */
export function optionError(invalid: InvalidOption): OptionError {
  const { api, name, expected, got, fix = 'Omit it to use the default.', isRange = false } = invalid
  const message = `${api}: option "${name}" must be ${expected}, got ${got}. ${fix}`
  const details = 'cause' in invalid ? { cause: invalid.cause } : undefined
  const error = withCode(
    'FW_INVALID_OPTION',
    isRange ? new RangeError(message, details) : new TypeError(message, details),
  )
  return Object.assign(error, { api, option: name })
}
