/** The result of parsing a whole stream. */
export interface ParsedStream {
  events: { type: string; data: string; lastEventId: string }[]
  /** The ID that a client would send when it reconnects. */
  lastEventId: string
  /** The received reconnection time, or `null`. */
  retryMs: number | null
}

/**
 * Interprets an event stream exactly as the standard's text specifies, without regard for speed.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function parseEventStream(text: string): ParsedStream {
  const stream: ParsedStream = { events: [], lastEventId: '', retryMs: null }
  let data = ''
  let type = ''
  let id = ''
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  // Ignore text after the last line break, which is an incomplete line.
  lines.pop()
  for (const line of lines) {
    if (line === '') {
      stream.lastEventId = id
      if (data !== '') stream.events.push({ type: type || 'message', data: data.slice(0, -1), lastEventId: id })
      data = ''
      type = ''
      continue
    }
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (name === 'event') type = value
    else if (name === 'data') data += `${value}\n`
    else if (name === 'id' && !value.includes('\0')) id = value
    else if (name === 'retry' && /^\d+$/.test(value)) stream.retryMs = Number(value)
  }
  return stream
}
