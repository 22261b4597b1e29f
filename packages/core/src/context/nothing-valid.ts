import type { Validated } from '@fw/types'

/** The result of a request without schemas. */
export const NOTHING_VALID: Validated = Object.freeze({
  params: undefined,
  query: undefined,
  headers: undefined,
  body: undefined,
})
