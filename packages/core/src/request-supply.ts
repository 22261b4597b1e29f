import { AbortedError } from './aborted-error.ts'
import { ReceivedBody } from './received-body.ts'

/** Lets the body of a `Request` through as fast as it is read, and no sooner. */
export class RequestSupply {
  readonly body: ReceivedBody
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #room: PromiseWithResolvers<void> | undefined = undefined
  #isStopped = false

  constructor(request: Request, maxWaitingBytes: number) {
    const announced = request.headers.get('content-length')
    const length = request.body === null ? 0 : announced === null ? undefined : Number(announced)
    this.#reader = request.body?.getReader()
    this.body = new ReceivedBody(length, maxWaitingBytes, {
      onWanted: () => void this.#pump(),
      onFull: () => {
        this.#room = Promise.withResolvers()
      },
      onRoom: () => {
        this.#room?.resolve()
        this.#room = undefined
      },
    })
    if (this.#reader === undefined) this.body.finish()
  }

  /** Nothing more comes. Whoever still reads is told why. */
  stop(reason: Error): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.body.fail(reason)
    this.body.discard()
    // Whoever made the request is told by its signal or by the answer.
    this.#reader?.cancel(reason).catch(() => {})
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
