/**
 * Fields that control an HTTP/1.1 connection.
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

/** Reports whether the field with this lower-case name makes an HTTP/2 or HTTP/3 message malformed. */
export function isConnectionField(name: string): boolean {
  return CONNECTION_FIELDS.has(name)
}

/**
 * Collects the fields that an HTTP/2 or HTTP/3 engine itself needs. Joins the values of a repeated field with `, `
 * (RFC 9110 §5.3).
 */
export class ReceivedFields {
  host: string | undefined = undefined
  contentLength: string | undefined = undefined
  te: string | undefined = undefined
  expect: string | undefined = undefined
  priority: string | undefined = undefined
  /** Number of header fields so far. The parts of a split cookie count as one field, as in HTTP/1.1. */
  count = 0
  #hasCookie = false

  /** Counts a field, and stores its value if the engine needs it. @param name In lower case */
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
        // RFC 9113 §8.2.3 and RFC 9114 §4.2.1: clients can split a cookie into several fields.
        if (this.#hasCookie) this.count--
        this.#hasCookie = true
    }
  }
}

function join(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`
}
