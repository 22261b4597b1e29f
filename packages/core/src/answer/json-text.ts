/** Makes the JSON of a value that is answered with a status. */
export type Serialize = (value: unknown, status: number) => string

/** @throws {TypeError} if the value has no JSON form: `undefined`, a function, a symbol, a bigint, a cycle */
export function jsonText(value: unknown): string {
  // Typed as a string, but `undefined` where there is no JSON form.
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`Cannot answer: a value of type ${typeof value} has no JSON form`)
  return text
}
