'use strict'
/*
 * Loads libraries on first use, because most applications use neither, and both take long to load.
 *
 * The callers are synchronous. Only `require` loads a module synchronously, and bundlers follow it only in CommonJS.
 */

let negotiator

exports.loadFastJsonStringify = () => require('fast-json-stringify')
// Called for each negotiated request, and `require` resolves the name every time.
exports.loadNegotiator = () => (negotiator ??= require('negotiator'))
