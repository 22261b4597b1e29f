/**
 * Header or trailer fields in the order of the wire: name, value, name, value, …
 *
 * Names are lower case. Values are octets, one character each (latin1), so that nothing received is lost.
 */
export type FieldList = readonly string[]
