/** Error for a response that breaks the protocol. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

/** Error for a truncated response, or for a connection that ends without a response. */
export class IncompleteResponse extends Error {
  override readonly name = 'IncompleteResponse'
}
