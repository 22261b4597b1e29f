import type FastJsonStringify = require('fast-json-stringify')
import type Negotiator = require('negotiator')

/** Returns the library that compiles response schemas. The first call loads it. */
export function loadFastJsonStringify(): typeof FastJsonStringify
/** Returns the library that evaluates `Accept` and similar fields. The first call loads it. */
export function loadNegotiator(): typeof Negotiator
