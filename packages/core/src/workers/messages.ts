import type { ProtocolText } from '@fw/types'
import type { Binding } from '../listening/binding.ts'
import type { TicketSecret } from '../tls/ticket-keys.ts'

/** Where a worker listens, as it travels between processes. */
export interface SentAddress {
  readonly url: string
  readonly host: string | undefined
  readonly port: number | undefined
  readonly path: string | undefined
  readonly protocols: readonly ProtocolText[]
}

/** Calls of `listen` with workers are known by their order in the program, which primary and workers share. */
interface OfListen {
  readonly listen: number
}

/** What a worker says. */
export type WorkerMessage =
  /** It has come to this call and asks what to bind. */
  | ({ readonly fw: 'place' } & OfListen)
  | ({ readonly fw: 'listening'; readonly address: SentAddress } & OfListen)
  /** It cannot listen, for a reason to be told to the caller, and ends. */
  | ({ readonly fw: 'failed'; readonly message: string } & OfListen)
  /** What it was to close is closed. */
  | ({ readonly fw: 'closed' } & OfListen)
  /** It begins to close, perhaps of its own accord. */
  | ({ readonly fw: 'leaving' } & OfListen)
  /** It has loaded its certificates again, or why it has not. */
  | ({ readonly fw: 'reloaded'; readonly error: string | undefined } & OfListen)
  /** The response to `ping`. */
  | { readonly fw: 'pong' }

/** What the primary says. */
export type PrimaryMessage =
  /** What to bind. A socket may come with it, which is then what to listen on. */
  | ({
      readonly fw: 'place'
      readonly binding: Binding
      readonly ticketSecret: TicketSecret
      readonly drainMs: number
    } & OfListen)
  /** The primary's own call failed. */
  | ({ readonly fw: 'refused'; readonly message: string } & OfListen)
  /** Finish what is running, within `drainMs`, and close: the whole server, or this listener of it. */
  | ({ readonly fw: 'close'; readonly drainMs: number; readonly whole: boolean } & OfListen)
  /** Load the certificates of the server again, all of them; answered by `reloaded`, in order. */
  | ({ readonly fw: 'reload' } & OfListen)
  | { readonly fw: 'ping' }

/** Whether a message is one of these and not one of the application's. */
export function isOurs(message: unknown): message is { readonly fw: string } {
  return typeof message === 'object' && message !== null && 'fw' in message && typeof message.fw === 'string'
}
