import type { FormatArgs, FormatError } from './format/format-args.ts'

/**
 * Logs a message, an error, or both.
 *
 * The signature for messages comes first, because the compiler stops at the first match. It is repeated at the end, because the
 * compiler's error explains the last signature if none matches.
 */
export interface LogFunction {
  /**
   * Logs a message.
   *
   * @param format Without arguments, the message. With arguments, text with `{}` placeholders as in C++ `std::format`. The
   * compiler checks their number and types
   *
   * @example
   * log.info('listening on {}:{}', host, port)
   */
  <const F extends string>(format: F, ...args: FormatArgs<F>): void
  /**
   * Logs an error with its stack and its causes, or any other value that a `catch` clause received.
   *
   * @example
   * log.error(error)
   */
  <E>(error: E & NotText<E>): void
  /**
   * Logs a message followed by an error with its stack and its causes.
   *
   * @param error The error, or any other value that is not a string
   * @param format The message; with arguments, a format as in the signature without an error
   *
   * @example
   * log.error(error, 'cannot open {}', path)
   */
  <E, const F extends string>(error: E & NotText<E>, format: F, ...args: FormatArgs<F>): void
  /** Repeats the first signature. */
  <const F extends string>(format: F, ...args: FormatArgs<F>): void
}

/** Excludes strings. The compiler shows this text if arguments follow a format without placeholders. */
export type NotText<E> = E extends string
  ? FormatError<'the arguments do not match the placeholders of the format'>
  : unknown
