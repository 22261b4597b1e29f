/** An error with a code of Node.js, by which middleware recognizes it. */
export class NodeError extends Error {
  readonly code: string

  constructor(code: 'ECONNRESET' | 'ERR_STREAM_DESTROYED' | 'ERR_STREAM_WRITE_AFTER_END', message: string) {
    super(message)
    this.code = code
  }
}

/** An error while a body is read. `cause` is the original, which middleware often overwrites with its own status. */
export class BodyReadError extends Error {
  readonly status: number
  readonly statusCode: number

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'The body cannot be read', { cause })
    const status: unknown = cause instanceof Error ? Reflect.get(cause, 'status') : undefined
    this.status = this.statusCode = typeof status === 'number' ? status : 400
  }
}
