import type { Context } from '@fw/types'
import type { WebSocketHandlers } from '../handlers.ts'
import type { WebSocketClose, WebSocketMessage } from '../server-web-socket.ts'
import type { Connection, ConnectionConsumer } from './connection.ts'

/** Calls the handlers of a route for a connection that has just opened. */
export function runHandlers<C extends Context<object>>(
  connection: Connection<C>,
  handlers: WebSocketHandlers<C>,
  concurrent: boolean,
): void {
  const runner = new HandlerRunner(connection, handlers, concurrent)
  connection.consume(runner)
  runner.open()
}

class HandlerRunner<C extends Context<object>> implements ConnectionConsumer {
  readonly #connection: Connection<C>
  readonly #handlers: WebSocketHandlers<C>
  readonly #concurrent: boolean

  constructor(connection: Connection<C>, handlers: WebSocketHandlers<C>, concurrent: boolean) {
    this.#connection = connection
    this.#handlers = handlers
    this.#concurrent = concurrent
  }

  open(): void {
    this.#run('open', () => this.#handlers.open?.(this.#connection), true)
  }

  onMessage(message: WebSocketMessage): void {
    if (this.#concurrent) this.#connection.release()
    this.#run('message', () => this.#handlers.message?.(this.#connection, message), !this.#concurrent)
  }

  onError(error: unknown): void {
    this.#run('error', () => this.#handlers.error?.(this.#connection, error), false)
  }

  onClose(close: WebSocketClose): void {
    this.#run('close', () => this.#handlers.close?.(this.#connection, close), false)
  }

  /** @param releases Whether the next message waits for the end of the call */
  #run(name: keyof WebSocketHandlers, call: () => unknown, releases: boolean): void {
    try {
      const result = call()
      if (!isThenable(result)) {
        if (releases) this.#connection.release()
        return
      }
      result.then(
        () => {
          if (releases) this.#connection.release()
        },
        (error: unknown) => this.#connection.fail(name, error),
      )
    } catch (error) {
      this.#connection.fail(name, error)
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
