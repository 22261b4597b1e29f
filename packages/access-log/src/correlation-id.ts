/** Visible ASCII without what could end a bracket, a quoted string or an escape. */
const CORRELATION_ID = /^[!#-Z^-~]{1,128}$/

/** The value of a header as correlation id, or `undefined` if it is none that can be shown as it is. */
export function correlationId(value: string | null): string | undefined {
  return value !== null && CORRELATION_ID.test(value) ? value : undefined
}
