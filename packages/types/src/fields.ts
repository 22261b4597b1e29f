/**
 * Header or trailer fields in the order in which they are sent: name, value, name, value, …
 *
 * Names are lower case. Values are bytes, one character each (latin1), so that received bytes are preserved.
 */
export type FieldList = readonly string[]

/** The header fields of a request. Names are case-insensitive; values are bytes (latin1). */
export interface RequestHeaders {
  /** Returns the value; several fields with that name are joined by `, ` (`cookie` by `; `); `null` if absent. */
  get(name: string): string | null
  /** Returns one value for each field with that name, in the order received. */
  getAll(name: string): readonly string[]
  /** Reports whether the request has a field with that name. */
  has(name: string): boolean
  /** Iterates over all fields in the order received, with names in lower case. */
  [Symbol.iterator](): IterableIterator<[name: string, value: string]>
}
