/**
 * Header or trailer fields in the order of the wire: name, value, name, value, …
 *
 * Names are lower case. Values are bytes, one character each (latin1), so that nothing received is lost.
 */
export type FieldList = readonly string[]

/** The header fields of a request. Names are compared without case; values are bytes (latin1). */
export interface RequestHeaders {
  /** The value, several lines of the same name joined with `, ` (`cookie` with `; `), or `null` when absent. */
  get(name: string): string | null
  /** One value for each line of that name, in the order of the wire. */
  getAll(name: string): readonly string[]
  has(name: string): boolean
  /** Every line in the order of the wire, names in lower case. */
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>
}
