import { showValue, withCode } from '@fw/options'

/** The fields of one block of an event stream. A block without fields is not written. */
export interface ServerSentEvent {
  /** Text that clients ignore. Each line becomes one comment line. */
  readonly comment?: string | undefined
  /** Event type. Clients use `message` if it is absent or empty. */
  readonly event?: string | undefined
  /** The client's new last event ID. An empty ID resets it. */
  readonly id?: string | undefined
  /** Milliseconds that the client waits before it reconnects. */
  readonly retry?: number | undefined
  /**
   * The payload. Each line becomes one `data` line. For a named event without data, an empty line is sent, so that clients
   * dispatch the event.
   */
  readonly data?: string | undefined
}

/**
 * Maximum bytes of an ID. Clients send it in a header field, and servers and proxies often limit all fields to 8 KiB. After
 * a 431 response, clients never reconnect.
 */
const MAX_ID_BYTES = 4096

/**
 * Encodes a block, including the blank line that dispatches it.
 *
 * Splits data and comments at CRLF, CR and LF. The client joins data lines with LF.
 *
 * @returns An empty string for a block without fields
 * @throws {TypeError} if a field has the wrong type, `event` or `id` contains a line break, or `id` contains a control
 *   character other than TAB
 * @throws {RangeError} if `retry` is not a safe integer of at least 0, or `id` is longer than 4,096 bytes
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 *
 * @example
 * encodeEvent({ event: 'tick', data: 'a\nb' })   // 'event: tick\ndata: a\ndata: b\n\n'
 */
export function encodeEvent(block: ServerSentEvent): string {
  return encodeBlock('encodeEvent', block)
}

/**
 * Encodes a block like `encodeEvent`.
 *
 * @param api Name of the called function, which begins every error
 */
export function encodeBlock(api: string, block: ServerSentEvent): string {
  if (typeof block !== 'object' || block === null) {
    throw withCode(
      'FW_INVALID_EVENT',
      new TypeError(`${api}: the event must be an object, got ${showValue(block)}. Write { data: '…' }.`),
    )
  }
  const { comment, event, id, retry, data } = block
  let text = ''
  if (comment !== undefined) text += lines('', requireString(api, 'comment', comment))
  // An empty name counts as absent.
  if (event !== undefined && event !== '') text += line(api, 'event', event)
  if (id !== undefined) text += idLine(api, id)
  if (retry !== undefined) text += `retry: ${requireMilliseconds(api, 'retry', retry)}\n`
  if (data !== undefined) text += lines('data', requireString(api, 'data', data))
  // A client drops an event that has no data line.
  else if (event) text += 'data: \n'
  return text === '' ? '' : `${text}\n`
}

/** @throws {TypeError} if the argument or field `name` is not a string */
export function requireString(api: string, name: string, value: unknown): string {
  if (typeof value !== 'string') {
    const fix = 'Convert it, for example with String() or JSON.stringify().'
    throw withCode(
      'FW_INVALID_EVENT',
      new TypeError(`${api}: ${name} must be a string, got ${showValue(value)}. ${fix}`),
    )
  }
  return value
}

/** @throws {RangeError} if the argument or field `name` is not a safe integer of at least 0 */
export function requireMilliseconds(api: string, name: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) {
    throw withCode(
      'FW_INVALID_EVENT',
      new RangeError(
        `${api}: ${name} must be an integer of at least 0, got ${showValue(value)}. Its unit is milliseconds.`,
      ),
    )
  }
  return value
}

function idLine(api: string, id: string): string {
  const text = line(api, 'id', id)
  // Clients ignore an ID with NUL. They return other control characters in a header field, which servers refuse with
  // 400. After that, clients never reconnect.
  if (/[^\t\P{Cc}]/u.test(id)) {
    const fix = 'Encode it, for example with encodeURIComponent().'
    throw withCode(
      'FW_INVALID_EVENT',
      new TypeError(`${api}: id must be without control characters, got ${showValue(id)}. ${fix}`),
    )
  }
  // A UTF-16 code unit has at most 3 bytes in UTF-8.
  if (id.length * 3 > MAX_ID_BYTES && Buffer.byteLength(id) > MAX_ID_BYTES) {
    const got = `${Buffer.byteLength(id)} bytes`
    throw withCode(
      'FW_INVALID_EVENT',
      new RangeError(
        `${api}: id must be at most ${MAX_ID_BYTES} bytes long, got ${got}. Clients send it back in a header field.`,
      ),
    )
  }
  return text
}

/** Encodes a field that must be one line. */
function line(api: string, name: string, value: string): string {
  // Clients would parse a second line as a field.
  if (/[\r\n]/.test(requireString(api, name, value))) {
    const fix = 'Only data and comments can have several lines.'
    throw withCode(
      'FW_INVALID_EVENT',
      new TypeError(`${api}: ${name} must be without line breaks, got ${showValue(value)}. ${fix}`),
    )
  }
  return `${name}: ${value}\n`
}

/** Encodes a field as one line for each line of its value. */
function lines(name: string, value: string): string {
  if (!/[\r\n]/.test(value)) return `${name}: ${value}\n`
  let text = ''
  for (const piece of value.split(/\r\n|\r|\n/)) text += `${name}: ${piece}\n`
  return text
}
