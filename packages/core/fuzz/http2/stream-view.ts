import type { Field } from '../../test/http2/hpack.ts'

/** Checks the response on a stream against RFC 9113 §8.1 and §5.1. */
export class StreamView {
  /** Flow-control window of the stream in bytes. */
  window: number
  status: string | undefined
  fields: readonly Field[] = []
  trailers: readonly Field[] | undefined
  readonly #body: Buffer[] = []
  isEnded = false
  resetCode: number | undefined

  constructor(window: number) {
    this.window = window
  }

  get body(): string {
    return Buffer.concat(this.#body).toString('latin1')
  }

  get isOver(): boolean {
    return this.isEnded || this.resetCode !== undefined
  }

  onFields(fields: readonly Field[], endsStream: boolean): void {
    this.#expectOpen('HEADERS')
    const pseudo = fields.filter(([name]) => name.startsWith(':'))
    if (fields.some(([name, value]) => name !== name.toLowerCase() || /^\s|\s$|[\0\r\n]/.test(value))) {
      throw new Error('An invalid field')
    }
    if (this.status !== undefined) {
      if (pseudo.length > 0 || !endsStream) throw new Error('Invalid trailers')
      this.trailers = fields
    } else {
      const status = fields[0]?.[1] ?? ''
      if (pseudo.length !== 1 || fields[0]?.[0] !== ':status' || !/^[1-5]\d\d$/.test(status))
        throw new Error('No :status')
      if (status.startsWith('1')) {
        if (endsStream) throw new Error('An informational response ends the stream')
        return
      }
      this.status = status
      this.fields = fields
    }
    this.isEnded = endsStream
    if (endsStream) this.#checkLength()
  }

  onData(payload: Buffer, endsStream: boolean): void {
    this.#expectOpen('DATA')
    if (this.status === undefined) throw new Error('DATA before the response head')
    this.window -= payload.length
    if (payload.length > 0 && this.window < 0) throw new Error('Content beyond the window of its stream')
    this.#body.push(payload)
    this.isEnded = endsStream
    if (endsStream) this.#checkLength()
  }

  onReset(code: number): void {
    if (this.resetCode !== undefined) throw new Error('A second reset of a stream')
    this.resetCode = code
  }

  onWindowUpdate(): void {
    if (this.resetCode !== undefined) throw new Error('WINDOW_UPDATE for a reset stream')
  }

  #expectOpen(what: string): void {
    if (this.isOver) throw new Error(`${what} after the end of the stream`)
  }

  #checkLength(): void {
    const announced = this.fields.find(([name]) => name === 'content-length')?.[1]
    const { length } = this.body
    if (announced !== undefined && length !== 0 && length !== Number(announced)) {
      throw new Error(`${length} bytes of content, announced as ${announced}`)
    }
  }
}
