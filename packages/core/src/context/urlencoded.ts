/** Parses `application/x-www-form-urlencoded` text: a query, or a form sent as a body. */
export function parseUrlencoded(text: string): URLSearchParams {
  // `URLSearchParams` takes one question mark at the start away, which is part of the first name here.
  return new URLSearchParams(text.startsWith('?') ? `?${text}` : text)
}
