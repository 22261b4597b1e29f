import type { Binding } from '../listening/binding.ts'
import type { Logger } from '@fw/log'
import type { ListenerAddress } from '../listening/listener.ts'
import type { TicketSecret } from '../tls/ticket-keys.ts'
import type { SocketHandle } from './port-sockets.ts'

/** What one call of `listen` opened, in this process or in its workers. */
export interface OpenListener {
  readonly address: ListenerAddress
  /**
   * Accepts nothing more; resolves when every connection has finished.
   *
   * @param drainMs After which `destroy` will be called
   * @param whole Whether the whole server is being closed
   */
  drain(drainMs: number, whole: boolean): Promise<void>
  /** Ends every connection now. */
  destroy(): void
  /** Where the output of other processes is passed on: calls what writes to the log after that, if it comes to it. */
  record?(write: () => void): void
  /**
   * Where other processes serve: has them load all certificates of the server again.
   *
   * @throws {StartupError} saying which of them cannot use theirs, and why
   */
  reloadTls?(): Promise<void>
}

/** Where to listen. */
export interface Place {
  readonly binding: Binding
  /** The bound socket for connections, if another process has opened it. */
  readonly handle?: SocketHandle | undefined
  /** Of the other processes that serve there. */
  readonly ticketSecret?: TicketSecret
}

/** What listening with workers needs from the server. */
export interface ServerHooks {
  readonly logger: Logger
  /** Listens in this process. @throws {StartupError} if that is not possible */
  open(place: Place): Promise<OpenListener>
  /** Closes the listener that `open` gave, or the whole server. */
  close(listener: OpenListener, drainMs: number, whole: boolean): void
  /** Loads the certificates of the server again. @throws {StartupError} if they cannot be used */
  reloadTls(): Promise<void>
}
