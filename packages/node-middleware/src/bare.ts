import type { EventEmitter } from 'node:events'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/**
 * Has the prototype of `http.IncomingMessage`, so that `instanceof` and `on-headers` accept its subclass. Its constructor does
 * nothing: the real one creates a stream, which costs more than the rest of a request.
 */
export const BareRequest: new () => Readable = bare<Readable>(IncomingMessage.prototype)

/** Has the prototype of `http.ServerResponse`, and a constructor that does nothing. */
export const BareResponse: new () => EventEmitter = bare<EventEmitter>(ServerResponse.prototype)

function bare<T>(prototype: object): new () => T {
  const Bare = function (): void {}
  Bare.prototype = prototype
  return Bare as unknown as new () => T
}
