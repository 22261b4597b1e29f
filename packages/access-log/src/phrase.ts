import { STATUS_CODES } from 'node:http'

/** Phrases of RFC 9110, which Node.js has under older names, and that of a client that did not wait. */
const RENAMED: Readonly<Record<number, string>> = {
  413: 'Content Too Large',
  422: 'Unprocessable Content',
  499: 'Client Closed Request',
}

/** The reason phrase of a status; empty if it has none. */
export function phraseOf(status: number): string {
  return RENAMED[status] ?? STATUS_CODES[status] ?? ''
}

/** A function whose text is made once for each status: there are a few hundred at most. */
export function byStatus(make: (status: number) => string): (status: number) => string {
  const texts: (string | undefined)[] = []
  return (status) => (texts[status] ??= make(status))
}
