/** The source of a connection, as its PROXY header states it. */
export interface ProxySource {
  /** IP address: IPv6 in the form of RFC 5952, IPv4-mapped as IPv4. */
  readonly address: string
  /** Port, from 0 to 65,535. */
  readonly port: number
}

/** The result of reading a PROXY header. */
export type ProxyHeader =
  | {
      /** More bytes can complete the header. */
      readonly kind: 'incomplete'
    }
  | {
      /** No further bytes can make the header valid. */
      readonly kind: 'invalid'
      /** A clause that completes "The connection was closed:". It contains no bytes of the peer. */
      readonly reason: string
    }
  | {
      /** The header is valid. */
      readonly kind: 'complete'
      /** Length of the header in bytes. The first byte of the client follows. */
      readonly length: number
      /** The source of the connection; `undefined` if the addresses of the connection itself apply. */
      readonly source: ProxySource | undefined
    }

/** Returns the result for a header that cannot become valid. */
export function invalid(reason: string): ProxyHeader {
  return { kind: 'invalid', reason }
}
