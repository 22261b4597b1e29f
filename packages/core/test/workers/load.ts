import { connect } from 'node:net'

export interface LoadResult {
  readonly responded: number
  /** Reason for each request without a complete response. */
  readonly failures: readonly string[]
}

/** Sends requests without a pause until stopped. Each client alternates between new and kept-alive connections. */
export class Load {
  #isStopped = false
  #responded = 0
  readonly #failures: string[] = []
  readonly #clients: Promise<void>[]
  readonly #port: number

  constructor(url: string, clients = 8) {
    this.#port = Number(new URL(url).port)
    this.#clients = Array.from({ length: clients }, () => this.#run())
  }

  get responded(): number {
    return this.#responded
  }

  async stop(): Promise<LoadResult> {
    this.#isStopped = true
    await Promise.all(this.#clients)
    return { responded: this.#responded, failures: this.#failures }
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) await this.#connection(1 + (this.#responded % 20))
  }

  /**
   * Sends requests one after another on one connection. The server can close it between two requests, which does not
   * count as a failure.
   */
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
        this.#responded++
        isWaiting = false
        text = ''
        if (isLast) socket.end()
        else send()
      })
      let reason = 'closed without a response'
      socket.on('error', (error: NodeJS.ErrnoException) => {
        reason = error.code ?? error.message
        // The connection was not established, so its first request failed.
        isWaiting ||= error.syscall === 'connect'
      })
      socket.on('close', () => {
        if (isWaiting) this.#failures.push(reason)
        resolve()
      })
    })
  }
}
