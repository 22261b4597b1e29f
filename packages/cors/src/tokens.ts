/** Maximum number of field names that a preflight can request. */
const MAX_NAMES = 64
/** Maximum length of `Access-Control-Request-Headers` in bytes. */
const MAX_BYTES = 2048

/** Whether an ASCII character can be part of a token (RFC 9110 §5.6.2). */
const IS_TOKEN_CODE: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[!#$%&'*+.^_`|~\dA-Za-z-]/.test(String.fromCharCode(code)),
)

/** Reports whether a string is a token. */
export function isToken(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (IS_TOKEN_CODE[text.charCodeAt(i)] !== true) return false
  return text !== ''
}

/**
 * Returns the field names of `Access-Control-Request-Headers` in lower case, separated by `,`. Reads each character only once.
 *
 * @returns `undefined` if a name is not a token, or the list is too long: 64 names or 2 KiB
 */
export function requestedFields(value: string): string | undefined {
  if (value.length > MAX_BYTES) return undefined
  const names: string[] = []
  for (const part of value.split(',')) {
    const name = part.trim()
    // RFC 9110 §5.6.1.2: a recipient ignores empty elements.
    if (name === '') continue
    if (!isToken(name) || names.length === MAX_NAMES) return undefined
    names.push(name.toLowerCase())
  }
  return names.join(',')
}
