import type { Binding } from '../listening/binding.ts'
import type { Logger } from '@fw/log'
import type { ListenerAddress } from '../listening/listener.ts'
import type { Traffic } from '../listening/traffic.ts'
import type { TicketSecret } from '../tls/ticket-keys.ts'
import type { SocketHandle } from './port-sockets.ts'

/** Result of one `listen` call, in this process or in its workers. */
export interface OpenListener {
  readonly address: ListenerAddress
  /**
   * Stops accepting connections. Resolves when every connection has ended.
   *
   * @param drainMs Milliseconds after which the caller calls `destroy`
   * @param whole Whether the whole server is closing
   */
  drain(drainMs: number, whole: boolean): Promise<void>
  /** Destroys every connection immediately. */
  destroy(): void
  /**
   * Calls a function that writes to the log, after the workers' forwarded output has been written. Does not call it if
   * that output has no reader. Absent without workers.
   */
  record?(write: () => void): void
  /**
   * Reloads all of the server's certificates in the processes that serve this listener. Absent without workers.
   *
   * @throws {StartupError} if workers cannot use their certificates, with the workers and the cause
   */
  reloadTls?(): Promise<void>
  /**
   * Restarts all workers one by one. Absent without workers.
   *
   * @throws {StartupError} in the primary, if a replacement could not start
   */
  restart?(): Promise<void>
  /** Adds this process's open connections, and their requests, to the counts. Absent in a primary. */
  count?(traffic: Traffic): void
}

/** Address of a listener, with the resources that other processes share. */
export interface Place {
  readonly binding: Binding
  /** Bound socket for connections, if another process has opened it. */
  readonly handle?: SocketHandle | undefined
  /** Secret that is shared with the other processes that serve the address. */
  readonly ticketSecret?: TicketSecret
}

/** Server functions that worker code calls. */
export interface ServerHooks {
  readonly logger: Logger
  /**
   * Listens in this process.
   *
   * @throws {StartupError} if that is not possible
   */
  open(place: Place): Promise<OpenListener>
  /** Closes a listener that `open` returned, or the whole server. */
  close(listener: OpenListener, drainMs: number, whole: boolean): void
  /**
   * Reloads the server's certificates.
   *
   * @throws {StartupError} if the certificates cannot be used
   */
  reloadTls(): Promise<void>
}
