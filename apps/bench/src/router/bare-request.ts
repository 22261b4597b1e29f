/**
 * Name of the candidate that only creates the `Request` for `fetch`, which is a lower bound for every application's cost.
 */
export const BARE_REQUEST = 'new Request()'
