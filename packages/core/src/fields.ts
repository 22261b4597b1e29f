/** RFC 9110 §5.6.2 (token). */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** What RFC 9110 §5.5 leaves out of a field value: controls but HTAB; and what is no octet. */
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/

/** Whether `name` can be a field name or a method. */
export function isToken(name: string): boolean {
  return TOKEN.test(name)
}

/** Whether `value` can be sent as a field value. */
export function isFieldValue(value: string): boolean {
  return !NOT_IN_VALUE.test(value)
}

/** @throws {TypeError} if the field would not arrive as it was meant */
export function checkField(name: string, value: string): void {
  if (!TOKEN.test(name)) throw new TypeError(`Cannot send field ${JSON.stringify(name)}: the name is no token`)
  if (NOT_IN_VALUE.test(value)) {
    throw new TypeError(`Cannot send field ${name}: the value holds a control character or one above U+00FF`)
  }
}
