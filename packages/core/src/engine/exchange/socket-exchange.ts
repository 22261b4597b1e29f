import { BaseExchange } from './base-exchange.ts'

/** The peer of a TCP connection or a Unix socket. */
export interface SocketPeer {
  readonly remoteAddress: string | undefined
  readonly remotePort: number | undefined
  readonly hasProxySource: boolean
}

/** An exchange over a TCP connection or a Unix socket. */
export abstract class SocketExchange extends BaseExchange {
  protected abstract get peer(): SocketPeer

  get remoteAddress(): string | undefined {
    return this.peer.remoteAddress
  }
  get remotePort(): number | undefined {
    return this.peer.remotePort
  }
  get hasProxySource(): boolean {
    return this.peer.hasProxySource
  }
  get isUnixSocket(): boolean {
    // A TCP listener rejects peers without an address.
    return this.peer.remoteAddress === undefined
  }
}
