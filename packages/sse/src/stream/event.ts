/** What one block of an event stream holds. Without any field nothing is written. */
export interface ServerSentEvent {
  /** Text that clients ignore; every line becomes one comment line. */
  readonly comment?: string | undefined
  /** Event type; clients use `message` when it is absent or empty. */
  readonly event?: string | undefined
  /** Becomes the client's last event id; an empty one resets it. */
  readonly id?: string | undefined
  /** How long the client waits before it reconnects, in milliseconds. */
  readonly retry?: number | undefined
  /** Payload; every line becomes one `data` line. A named event without data gets one empty line, so that it dispatches. */
  readonly data?: string | undefined
}

/**
 * Bytes of an id. Clients send it back in a header field, which servers and proxies take 8 KiB of, with all the others;
 * after a response of 431 they never try again.
 */
const MAX_ID_BYTES = 4096

/**
 * Encodes a block for the wire, ending in the blank line that dispatches it.
 *
 * Data and comments are cut at CRLF, CR and LF, so the client sees each of them as LF.
 *
 * @returns The empty string if there is nothing to write
 * @throws {TypeError} if a field is no string, `event` or `id` holds a line break, or `id` another
 *   control character than TAB
 * @throws {RangeError} if `retry` is no safe integer or below 0, or `id` is longer than 4,096 bytes
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 *
 * @example
 * encodeEvent({ event: 'tick', data: 'a\nb' })   // 'event: tick\ndata: a\ndata: b\n\n'
 */
export function encodeEvent(block: ServerSentEvent): string {
  if (typeof block !== 'object' || block === null) throw new TypeError('Cannot encode event: it is no object')
  const { comment, event, id, retry, data } = block
  let text = ''
  if (comment !== undefined) text += lines('', requireString('comment', comment))
  // An empty name is no name.
  if (event !== undefined && event !== '') text += line('event', event)
  if (id !== undefined) text += idLine(id)
  if (retry !== undefined) text += `retry: ${requireMilliseconds('retry', retry)}\n`
  if (data !== undefined) text += lines('data', requireString('data', data))
  // A client drops an event that has no data line.
  else if (event) text += 'data: \n'
  return text === '' ? '' : `${text}\n`
}

/** @throws {TypeError} if the field `name` of an event is no string */
export function requireString(name: string, value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`Cannot encode event: ${name} is no string`)
  return value
}

/** @throws {RangeError} if the field `name` of an event is no safe integer or below 0 */
export function requireMilliseconds(name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`Cannot encode event: ${name} is no whole number of milliseconds`)
  }
  return value
}

function idLine(id: string): string {
  const text = line('id', id)
  // Clients ignore an id with NUL. With another one they come back, but no server takes such a header field, and
  // after a response of 400 they never try again.
  if (/[^\t\P{Cc}]/u.test(id)) throw new TypeError('Cannot encode event: id contains a control character')
  // No character has more than 3 bytes for each of its code units.
  if (id.length * 3 > MAX_ID_BYTES && Buffer.byteLength(id) > MAX_ID_BYTES) {
    throw new RangeError(`Cannot encode event: id is longer than ${MAX_ID_BYTES} bytes`)
  }
  return text
}

/** A field that must stay one line. */
function line(name: string, value: string): string {
  // Cut like data, the rest would be fields of its own.
  if (/[\r\n]/.test(requireString(name, value))) {
    throw new TypeError(`Cannot encode event: ${name} contains a line break`)
  }
  return `${name}: ${value}\n`
}

/** A field of as many lines as its value has. */
function lines(name: string, value: string): string {
  if (!/[\r\n]/.test(value)) return `${name}: ${value}\n`
  let text = ''
  for (const piece of value.split(/\r\n|\r|\n/)) text += `${name}: ${piece}\n`
  return text
}
