/**
 * Fields that belong to a connection of HTTP/1.1.
 *
 * @see RFC 9113 §8.2.2, RFC 9114 §4.2
 */
const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Reports whether a field, by its lower-case name, makes a message of HTTP/2 or HTTP/3 malformed. */
export function isConnectionField(name: string): boolean {
  return CONNECTION_FIELDS.has(name)
}

/**
 * Collects the fields of an HTTP/2 or HTTP/3 request that say something about the message itself. The values of a field
 * that occurs several times are joined with `, ` (RFC 9110 §5.3).
 */
export class ReceivedFields {
  host: string | undefined = undefined
  contentLength: string | undefined = undefined
  te: string | undefined = undefined
  expect: string | undefined = undefined
  priority: string | undefined = undefined
  /** Header fields so far. The parts of a split cookie count as the one field that HTTP/1.1 would have. */
  count = 0
  #hasCookie = false

  /** Counts a field, and keeps its value if it is one of those. @param name In lower case */
  add(name: string, value: string): void {
    this.count++
    switch (name) {
      case 'host':
        this.host = join(this.host, value)
        return
      case 'content-length':
        this.contentLength = join(this.contentLength, value)
        return
      case 'te':
        this.te = join(this.te, value)
        return
      case 'expect':
        this.expect = join(this.expect, value)
        return
      case 'priority':
        this.priority = join(this.priority, value)
        return
      case 'cookie':
        // RFC 9113 §8.2.3, RFC 9114 §4.2.1.
        if (this.#hasCookie) this.count--
        this.#hasCookie = true
    }
  }
}

function join(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}
