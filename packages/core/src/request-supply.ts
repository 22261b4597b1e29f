import { AbortedError } from './aborted-error.ts'
import { ReceivedBody } from './received-body.ts'

/** Lets the body of a request that came without a network through as fast as it is read, and no sooner. */
export class RequestSupply {
  readonly body: ReceivedBody
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
    this.#reader = isWhole ? undefined : source.getReader()
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
    if (this.#reader === undefined) return
    const error = new AbortedError(reason)
    this.body.fail(error)
    this.body.discard()
    // Whoever made the request is told by its signal or by the answer.
    this.#reader.cancel(error).catch(() => {})
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
