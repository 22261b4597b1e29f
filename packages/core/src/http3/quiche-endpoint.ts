import type { HostPort } from './quiche-binding.ts'
import type { QuicheConnection } from './quiche-connection.ts'
import type { QuicConnection, QuicConnectionEvents, QuicListenOptions } from './quic.ts'

/** What a connection needs of the listener it came from. */
export interface QuicheEndpoint {
  readonly options: Pick<QuicListenOptions, 'idleTimeoutMs' | 'handshakeTimeoutMs' | 'maxConcurrentStreams'>
  transmit(packet: Uint8Array, to: HostPort): void
  /** A connection ID that packets for this connection may be sent to, with its stateless reset token. */
  addId(connection: QuicheConnection): { readonly id: Uint8Array; readonly resetToken: bigint; readonly key: string }
  /** The peer uses that connection ID no more. */
  removeId(connection: QuicheConnection, id: Uint8Array): void
  /** Has `service` called in this turn of the event loop. */
  schedule(connection: QuicheConnection): void
  /** The handshake is done. */
  accept(connection: QuicConnection): QuicConnectionEvents
  /** Nobody will hear from it again, except that it may still have to be silent for a while. */
  onClosed(connection: QuicheConnection): void
  /** Its connection IDs are free. */
  onGone(connection: QuicheConnection): void
}
