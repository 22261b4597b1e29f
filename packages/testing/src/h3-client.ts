import type { ClientRequest, ClientResponse, ProtocolClient } from './client.ts'
import { H3Connection, type H3ConnectionOptions } from './h3/connection.ts'
import { exchange } from './h3/exchange.ts'

export { H3Connection, type H3ConnectionOptions } from './h3/connection.ts'
export { requestFields as h3RequestFields } from './h3/exchange.ts'
export { decodeFields, encodeFields } from './h3/qpack.ts'
export { clientInitial, type QuicClose } from './h3/quic-client.ts'
export type { RawStream } from './h3/raw-stream.ts'
export { H3Frame, H3StreamType, h3Frame, readVarint, varint } from './h3/wire.ts'

/**
 * Opens an HTTP/3 client. All requests share one connection; the client opens another one after the server has closed
 * it.
 */
export async function connectH3(options: H3ConnectionOptions): Promise<H3Client> {
  return new H3Client(options, await H3Connection.open(options))
}

/** HTTP/3 client. `request` sends valid requests; `connection` can send anything. */
export class H3Client implements ProtocolClient {
  readonly protocol = 'h3'
  readonly #options: H3ConnectionOptions
  #connection: H3Connection

  constructor(options: H3ConnectionOptions, connection: H3Connection) {
    this.#options = options
    this.#connection = connection
  }

  /** Returns the connection of the last request. */
  get connection(): H3Connection {
    return this.#connection
  }

  async request(request: ClientRequest): Promise<ClientResponse> {
    if (this.#connection.isOver) this.#connection = await H3Connection.open(this.#options)
    return exchange(this.#connection, request)
  }

  close(): Promise<void> {
    this.#connection.close()
    return Promise.resolve()
  }
}
