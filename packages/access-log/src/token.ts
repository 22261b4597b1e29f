/** Whether a text can be a method or the name of a field: RFC 9110 §5.1, §5.6.2, §9.1. */
export function isToken(text: unknown): boolean {
  return typeof text === 'string' && /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/.test(text)
}
