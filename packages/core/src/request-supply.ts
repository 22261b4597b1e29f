import { AbortedError } from './aborted-error.ts'
import { ReceivedBody } from './received-body.ts'

/** How streams tell the functions of `node:stream` that they are broken. */
const ERRORED = Symbol.for('nodejs.stream.errored')

/** Lets the body of a request that came without a network through as fast as it is read, and no sooner. */
export class RequestSupply {
  readonly body: ReceivedBody
  readonly #source: ReadableStream<Uint8Array> | undefined
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #room: PromiseWithResolvers<void> | undefined = undefined
  #isStopped = false

  /** @param announced Octets according to `content-length`, if it was given */
  constructor(
    source: ReadableStream<Uint8Array> | Uint8Array | null,
    announced: number | undefined,
    maxWaitingBytes: number,
  ) {
    const isWhole = source === null || source instanceof Uint8Array
    this.#source = isWhole ? undefined : source
    this.#reader = this.#source?.getReader()
    this.body = new ReceivedBody(isWhole ? (source?.byteLength ?? 0) : announced, maxWaitingBytes, {
      onWanted: () => void this.#pump(),
      onFull: () => {
        this.#room = Promise.withResolvers()
      },
      onRoom: () => {
        this.#room?.resolve()
        this.#room = undefined
      },
    })
    if (!isWhole) return
    if (source !== null) this.body.push(source)
    this.body.finish()
  }

  /** Nothing more comes. Whoever still reads is told why. */
  stop(reason: string): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#reader === undefined || this.#source === undefined) return
    const error = new AbortedError(reason)
    this.body.fail(error)
    this.body.discard()
    cancelBody(this.#source, this.#reader, error)
  }

  async #pump(): Promise<void> {
    try {
      for (;;) {
        const piece = await this.#reader?.read()
        if (this.#isStopped) return
        if (piece?.value === undefined) break
        this.body.push(piece.value)
        await this.#room?.promise
      }
      this.body.finish()
    } catch (error) {
      this.body.fail(new AbortedError('The body of the request broke off', { cause: error }))
    }
  }
}

/**
 * Lets go of the body of a `Request`, by the stream itself or the reader that has it. Never throws or rejects: whoever
 * made the request is told by its signal or by the answer.
 */
export function cancelBody(
  stream: ReadableStream<Uint8Array>,
  holder: Pick<ReadableStream<Uint8Array>, 'cancel'>,
  reason: Error,
): void {
  // Node.js goes on filling the stream of a `FormData` that was cancelled, and fails at it where nobody can catch it. It
  // stops at one that says it is broken.
  Reflect.defineProperty(stream, ERRORED, { value: true, configurable: true })
  holder.cancel(reason).catch(() => {})
}
