import type { Validated } from '@fw/types'

/** The validated parts of a request to a route without schemas. */
export const NOTHING_VALID: Validated = Object.freeze({
  params: undefined,
  query: undefined,
  headers: undefined,
  body: undefined,
})
