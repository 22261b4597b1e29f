/** An error with a code of Node.js, by which middleware recognizes it. */
export class NodeError extends Error {
  readonly code: string

  constructor(code: 'ECONNRESET' | 'ERR_STREAM_WRITE_AFTER_END', message: string) {
    super(message)
    this.code = code
  }
}
