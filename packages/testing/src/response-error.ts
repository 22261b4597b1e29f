/** Thrown for a response that breaks the protocol. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

/** Thrown for a truncated response, or if the connection ends without one. */
export class IncompleteResponse extends Error {
  override readonly name = 'IncompleteResponse'
}
