/** The first bytes of an HTTP/2 connection (RFC 9113 §3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

export const HTTP2_PREFACE_BYTES: number = PREFACE.length

/** Reports whether a connection starts with the HTTP/2 preface; `undefined` while too few bytes have arrived. */
export function startsWithPreface(bytes: Buffer): boolean | undefined {
  const length = Math.min(bytes.length, PREFACE.length)
  if (PREFACE.compare(bytes, 0, length, 0, length) !== 0) return false
  return length === PREFACE.length ? true : undefined
}
