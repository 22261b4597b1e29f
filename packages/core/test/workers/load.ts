import { connect } from 'node:net'

export interface LoadResult {
  readonly answered: number
  /** Requests that got no whole answer, with the reason. */
  readonly failures: readonly string[]
}

/** Requests without a pause until it is stopped, each client by turns on a connection of its own and on one it keeps. */
export class Load {
  #isStopped = false
  #answered = 0
  readonly #failures: string[] = []
  readonly #clients: Promise<void>[]
  readonly #port: number

  constructor(url: string, clients = 8) {
    this.#port = Number(new URL(url).port)
    this.#clients = Array.from({ length: clients }, () => this.#run())
  }

  get answered(): number {
    return this.#answered
  }

  async stop(): Promise<LoadResult> {
    this.#isStopped = true
    await Promise.all(this.#clients)
    return { answered: this.#answered, failures: this.#failures }
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) await this.#connection(1 + (this.#answered % 20))
  }

  /** Sends the requests one after the other; the server may close between two, which fails none. */
  #connection(requests: number): Promise<void> {
    return new Promise((resolve) => {
      let left = requests
      let isWaiting = false
      let text = ''
      const socket = connect(this.#port, '127.0.0.1')
      const send = (): void => {
        if (left === 0 || this.#isStopped) return void socket.end()
        isWaiting = true
        socket.write(`GET / HTTP/1.1\r\nHost: a\r\n${--left === 0 ? 'Connection: close\r\n' : ''}\r\n`)
      }
      socket.setEncoding('latin1')
      socket.once('connect', send)
      socket.on('data', (chunk: string) => {
        text += chunk
        const [, length, body] = /content-length: (\d+)\r\n[^]*?\r\n\r\n([^]*)/i.exec(text) ?? []
        if (body === undefined || body.length < Number(length)) return
        const isLast = /^connection: close/im.test(text)
        this.#answered++
        isWaiting = false
        text = ''
        if (isLast) socket.end()
        else send()
      })
      let reason = 'closed without an answer'
      socket.on('error', (error: NodeJS.ErrnoException) => {
        reason = error.code ?? error.message
        // A connection that was not even made.
        isWaiting ||= error.syscall === 'connect'
      })
      socket.on('close', () => {
        if (isWaiting) this.#failures.push(reason)
        resolve()
      })
    })
  }
}
