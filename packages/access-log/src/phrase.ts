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

/** Status and phrase as lines show them, `-` for a phrase that there is not; made once for each status. */
export function statusText(status: number): string {
  let text = statusTexts.get(status)
  if (text === undefined) statusTexts.set(status, (text = `${status} ${phraseOf(status) || '-'}`))
  return text
}

/** There are a few hundred statuses at most. */
const statusTexts = new Map<number, string>()
