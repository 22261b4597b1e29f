/** The source of a connection, as its PROXY header states it. */
export interface ProxySource {
  /** IP address: IPv6 in the form of RFC 5952, IPv4-mapped as IPv4. */
  readonly address: string
  /** Port, from 0 to 65,535. */
  readonly port: number
}

/** The result of reading a PROXY header. */
export type ProxyHeader =
  /** More bytes can complete the header. */
  | { readonly kind: 'incomplete' }
  /** No further bytes can make the header valid. `reason` is a clause in the present tense, without bytes of the peer. */
  | { readonly kind: 'invalid'; readonly reason: string }
  /** The first `length` bytes are the header. `source` is `undefined` if the connection's own addresses apply. */
  | { readonly kind: 'complete'; readonly length: number; readonly source: ProxySource | undefined }

/** Returns the result for a header that cannot become valid. */
export function invalid(reason: string): ProxyHeader {
  return { kind: 'invalid', reason }
}
