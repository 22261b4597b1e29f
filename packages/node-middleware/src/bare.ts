import type { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * Has the prototype of `http.IncomingMessage`, so that `instanceof` holds for its subclass. Its constructor does nothing: the real
 * one creates the state of a stream, which most requests do not need.
 */
export const BareRequest: new () => Readable = bare(IncomingMessage.prototype) as new () => Readable

/** Has the prototype of `http.ServerResponse`, and a constructor that does nothing. */
export const BareResponse: new () => EventEmitter = bare(ServerResponse.prototype) as new () => EventEmitter

function bare(prototype: object): unknown {
  return Object.assign(function Bare(): void {}, { prototype })
}
