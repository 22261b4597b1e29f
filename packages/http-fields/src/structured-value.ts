/** A token, such as `gzip` or `text/html`, as opposed to a quoted string. */
export class Token {
  /** The token itself. */
  readonly name: string

  /**
   * Creates a token. `serializeItem` checks it.
   *
   * @param name The token: a letter or `*`, then letters, digits and `!#$%&'*+-.^_|~:/` and backticks
   */
  constructor(name: string) {
    this.name = name
  }
}

/** Text with any Unicode characters. It is sent percent-encoded: `%"f%c3%bc"`. */
export class DisplayText {
  /** The decoded text. */
  readonly text: string

  /** Creates display text. @param text The decoded text, which `serializeItem` encodes */
  constructor(text: string) {
    this.text = text
  }
}

/**
 * A value without parameters: an integer or decimal, an ASCII string, a token, bytes, a boolean, a date in whole seconds, or
 * display text.
 */
export type BareItem = number | string | Token | Uint8Array | boolean | Date | DisplayText

/** Parameters by name, in order. */
export type Parameters = ReadonlyMap<string, BareItem>

/** A value with its parameters. */
export interface Item {
  /** The value itself. */
  readonly value: BareItem
  /** The parameters of the value, such as `q` in `gzip;q=0.5`. */
  readonly parameters: Parameters
}

/** A list in parentheses, with the parameters of the whole list. */
export interface InnerList {
  /** The items between the parentheses. */
  readonly items: readonly Item[]
  /** The parameters after the parentheses. */
  readonly parameters: Parameters
}

/** A member of a list or a dictionary. */
export type Member = Item | InnerList
