/**
 * Name of the candidate that only creates the `Request` for `fetch`: the lower bound of the cost of every application.
 */
export const BARE_REQUEST = 'new Request()'
