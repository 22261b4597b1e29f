import type { Binding } from '../binding.ts'
import type { Logger } from '@fw/log'
import type { ListenerAddress } from '../listener.ts'
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
}

/** What listening with workers needs from the server. */
export interface ServerHooks {
  readonly logger: Logger
  /** Listens in this process, on the socket if there is one. @throws {StartupError} if that is not possible */
  open(binding: Binding, handle: SocketHandle | undefined): Promise<OpenListener>
  /** Closes the listener that `open` gave, or the whole server. */
  close(listener: OpenListener, drainMs: number, whole: boolean): void
}
