/** A response that the protocol does not allow. */
export class MalformedResponse extends Error {
  override readonly name = 'MalformedResponse'
}

/** A response that broke off, or a connection that ended without one. */
export class IncompleteResponse extends Error {
  override readonly name = 'IncompleteResponse'
}
