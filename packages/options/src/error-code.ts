/**
 * The codes of the errors that the packages throw. Each code identifies one kind of mistake. A code never changes its meaning,
 * so programs can compare it; messages can change in any release. `docs/errors/<code>.md` explains the cause and the fix.
 */
export type FwErrorCode =
  | 'FW_ABORTED'
  | 'FW_ADDRESS_IN_USE'
  | 'FW_BACKPLANE_CLOSED'
  | 'FW_BACKPLANE_FULL'
  | 'FW_BACKPLANE_TAKEN'
  | 'FW_BODY_ALREADY_READ'
  | 'FW_BODY_NOT_SENT'
  | 'FW_BODY_TOO_LARGE'
  | 'FW_CHANNEL_CLOSED'
  | 'FW_CIRCULAR_VALUE'
  | 'FW_CONNECTION_CLOSED'
  | 'FW_CROSS_SITE_REQUEST'
  | 'FW_DUPLICATE_EXTENSION'
  | 'FW_DUPLICATE_ROUTE'
  | 'FW_ERROR_HANDLER_FAILED'
  | 'FW_FETCH_FAILED'
  | 'FW_FILE_UNAVAILABLE'
  | 'FW_HTTP3_UNAVAILABLE'
  | 'FW_INVALID_ARGUMENT'
  | 'FW_INVALID_BODY'
  | 'FW_INVALID_CERTIFICATE'
  | 'FW_INVALID_CLOSE'
  | 'FW_INVALID_DESCRIPTOR'
  | 'FW_INVALID_EVENT'
  | 'FW_INVALID_HANDLER'
  | 'FW_INVALID_HANDSHAKE'
  | 'FW_INVALID_HEADER'
  | 'FW_INVALID_HOST'
  | 'FW_INVALID_MESSAGE'
  | 'FW_INVALID_METHOD'
  | 'FW_INVALID_OPTION'
  | 'FW_INVALID_PATH'
  | 'FW_INVALID_REDIRECT'
  | 'FW_INVALID_REQUEST'
  | 'FW_INVALID_RETURN'
  | 'FW_INVALID_STATUS'
  | 'FW_KEYS_UNAVAILABLE'
  | 'FW_LISTEN_FAILED'
  | 'FW_LOG_FILE'
  | 'FW_MALFORMED_BODY'
  | 'FW_MALFORMED_CREDENTIALS'
  | 'FW_MIDDLEWARE_REFUSED'
  | 'FW_MISSING_DIRECTORY'
  | 'FW_MISSING_EXTENSION'
  | 'FW_MISSING_SCOPE'
  | 'FW_MISSING_VALUE'
  | 'FW_NEXT_CALLED_TWICE'
  | 'FW_NODE_VERSION'
  | 'FW_NOT_ACCEPTABLE'
  | 'FW_NOT_LISTENING'
  | 'FW_NO_RESPONSE'
  | 'FW_NO_TUNNEL'
  | 'FW_ORIGIN_REFUSED'
  | 'FW_OVERLOADED'
  | 'FW_PART_NOT_READ'
  | 'FW_PRECONDITION_FAILED'
  | 'FW_PRECONDITION_REQUIRED'
  | 'FW_PROTOCOL'
  | 'FW_RANGE_NOT_SATISFIABLE'
  | 'FW_RATE_LIMITED'
  | 'FW_REDIS_TIMEOUT'
  | 'FW_RESPONSE_SENT'
  | 'FW_ROUTE_TIMEOUT'
  | 'FW_SERVER_CLOSED'
  | 'FW_SERVER_CLOSING'
  | 'FW_SESSION_CONFLICT'
  | 'FW_SESSION_TOO_LARGE'
  | 'FW_SESSION_UNSAVED'
  | 'FW_SLOW_CLIENT'
  | 'FW_STORE_TIMEOUT'
  | 'FW_SYSTEMD_SOCKET'
  | 'FW_THROWN_VALUE'
  | 'FW_TOO_MANY_PASSWORDS'
  | 'FW_TOO_MANY_SOCKETS'
  | 'FW_UNAUTHENTICATED'
  | 'FW_UNKNOWN_OPTION'
  | 'FW_UNSUPPORTED_TYPE'
  | 'FW_WORKERS_UNAVAILABLE'
  | 'FW_WORKER_FAILED'
  | 'FW_WRONG_LENGTH'

/** An error with a code that identifies its kind. */
export type Coded<E extends Error = Error> = E & {
  /** The kind of the error. */
  readonly code: FwErrorCode
}

/**
 * Adds a code to an error. `util.inspect` and uncaught errors show it after the stack trace: `{ code: 'FW_INVALID_PATH' }`.
 *
 * The `name` and the first line of the stack still contain only `TypeError`. V8 formats a stack on first access. Adding the
 * code to that line would require formatting every stack when the error is created.
 *
 * @example
 * throw withCode('FW_INVALID_PATH', new TypeError(`router: path must be a string, got ${showValue(path)}.`))
 */
export function withCode<E extends Error>(code: FwErrorCode, error: E): Coded<E> {
  return Object.assign(error, { code })
}
