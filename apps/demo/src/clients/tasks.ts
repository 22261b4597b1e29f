import type { FaultMessage, FaultName, RaceKind, RaceMessage, TrafficLevel } from '../live/messages.ts'

/** The header field that identifies the demo's own clients. Only the process and the visitor know its value. */
export const CLIENT_FIELD = 'x-demo-client'

/** Addresses and credentials with which the clients reach the demo. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly tlsPort: number
  readonly http3: boolean
  /** The certificate in PEM. */
  readonly ca: string
  /** Secret that identifies the clients to the demo. */
  readonly secret: string
}

/** A task for the client thread. */
export type ClientTask =
  | { readonly task: 'traffic'; readonly level: TrafficLevel }
  | { readonly task: 'race'; readonly kind: RaceKind }
  | { readonly task: 'break'; readonly fault: FaultName; readonly visitor: string }
  | { readonly task: 'load'; readonly port: number }

/** Results of the tasks that return one, by the name of the task. */
export interface ClientResults {
  readonly race: RaceMessage
  readonly break: FaultMessage
}

/** A task as sent to the thread. */
export interface TaskMessage {
  readonly id: number
  readonly task: ClientTask
}

/** A message from the thread: a task's result, or the progress of the load. */
export type ThreadMessage =
  | { readonly id: number; readonly result?: unknown; readonly error?: string | undefined }
  | { readonly load: { readonly answered: number; readonly failed: number } }
