/** Matches names that every client interprets identically in quotes. Excludes `%`, because some clients decode it. */
const PLAIN = /^[\x20-\x24\x26-\x5b\x5d-\x7e]*$/
/** Matches controls, zero-width characters, and direction marks, which show `fdp.exe` as `exe.pdf`. */
const UNFIT = /[\0-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g
/** Matches text that is not a file name. Clients then use the name in the request path. */
const NAMELESS = /^\.{0,2}$/

/**
 * Returns the `Content-Disposition` value that makes browsers save a file under `name`.
 *
 * @param name File name, trusted or not. Leading directories are removed
 * @see RFC 6266 §4, §4.3 (harmful names), RFC 8187 §3.2
 *
 * @example
 * attachment('report.pdf')   // attachment; filename="report.pdf"
 * attachment('año.pdf')      // attachment; filename="a_o.pdf"; filename*=UTF-8''a%C3%B1o.pdf
 */
export function attachment(name: string): string {
  const base = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).replaceAll(UNFIT, '_')
  if (NAMELESS.test(base)) return 'attachment'
  if (PLAIN.test(base) && !base.includes('"')) return `attachment; filename="${base}"`
  const plain = base.replaceAll(/[^\x20-\x24\x26-\x5b\x5d-\x7e]|"/g, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(base)}`
}

/** Encodes value-chars (RFC 8187 §3.2.1). `encodeURIComponent` does not encode `'()*`. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/['()*]/g, percentEncoded)
}

function percentEncoded(char: string): string {
  return `%${char.charCodeAt(0).toString(16).toUpperCase()}`
}
