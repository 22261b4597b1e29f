import type { ProtocolText } from '@fw/types'
import type { Binding } from '../listening/binding.ts'
import type { TicketSecret } from '../tls/ticket-keys.ts'

/** Address of a worker's listener, as sent between processes. */
export interface SentAddress {
  readonly url: string
  readonly host: string | undefined
  readonly port: number | undefined
  readonly path: string | undefined
  readonly protocols: readonly ProtocolText[]
}

/**
 * Number of a `listen` call with workers, counted in program order, which is the same in the primary and the workers.
 */
interface OfListen {
  readonly listen: number
}

/** Message from a worker to the primary. */
export type WorkerMessage =
  /** The worker has reached this call and requests the address to bind. */
  | ({ readonly fw: 'place' } & OfListen)
  | ({ readonly fw: 'listening'; readonly address: SentAddress } & OfListen)
  /** The worker cannot listen and exits. The primary rejects the call with this message. */
  | ({ readonly fw: 'failed'; readonly message: string } & OfListen)
  /** The listener is closed. */
  | ({ readonly fw: 'closed' } & OfListen)
  /** The worker is starting to close the listener, possibly without a request from the primary. */
  | ({ readonly fw: 'leaving' } & OfListen)
  /** The worker has reloaded its certificates, or could not. `error` is the reason for a failure. */
  | ({ readonly fw: 'reloaded'; readonly error: string | undefined } & OfListen)
  /** The worker requests a restart of all workers. */
  | { readonly fw: 'restart' }
  /** Response to `ping`. */
  | { readonly fw: 'pong' }

/** Message from the primary to a worker. */
export type PrimaryMessage =
  /** Address to bind. If a socket is attached, the worker listens on it. */
  | ({
      readonly fw: 'place'
      readonly binding: Binding
      readonly ticketSecret: TicketSecret
      readonly drainMs: number
    } & OfListen)
  /** The call failed in the primary. */
  | ({ readonly fw: 'refused'; readonly message: string } & OfListen)
  /** Request to close the whole server, or only this listener, within `drainMs`. */
  | ({ readonly fw: 'close'; readonly drainMs: number; readonly whole: boolean } & OfListen)
  /**
   * Request to reload all of the server's certificates. The worker responds with `reloaded`, in the order of the
   * requests.
   */
  | ({ readonly fw: 'reload' } & OfListen)
  | { readonly fw: 'ping' }

/** Reports whether a message belongs to this library and not to the application. */
export function isOurs(message: unknown): message is { readonly fw: string } {
  return typeof message === 'object' && message !== null && 'fw' in message && typeof message.fw === 'string'
}
