/** Where a connection stands. */
export type Phase =
  /** Nothing has arrived yet. */
  | 'fresh'
  /** Between two requests. */
  | 'idle'
  /** Part of a head has arrived. */
  | 'head'
  /** A request is being received, answered, or both. */
  | 'exchange'
  /** Everything was sent; what still arrives is thrown away until the peer has seen it. */
  | 'lingering'
  /** Somebody else has the socket; only its end is of interest. */
  | 'upgraded'
  | 'closed'
