import type { BodyEncoder, OutgoingResponse, PushBytes } from '@fw/types'
import { NodeResponse } from './node-response.ts'
import type { ResponseOutput } from './response-output.ts'
import { PushSink, WholeSink } from './sink.ts'

/**
 * Registers a filter if middleware has replaced `writeHead`, `write` or `end`. The response of an fw handler then passes through
 * these methods. Hooks of `on-headers` run before the head is sent, `compression` encodes the body, and `express-session` saves
 * the session first.
 *
 * It is a filter, because code after `next()` would miss error pages and everything that `startResponse()` sends.
 */
export function filterIfPatched(response: NodeResponse): void {
  const output = NodeResponse.outputOf(response)
  if (output.isFiltered || output.ctx.headSent || !NodeResponse.isPatched(response)) return
  output.isFiltered = true
  output.ctx.filterResponse((outgoing) => passThrough(response, output, outgoing))
}

function passThrough(response: NodeResponse, output: ResponseOutput, outgoing: OutgoingResponse): void {
  if (output.isDirect || output.isSpent) return
  output.outgoing = outgoing
  const { kind, whole, lengthBytes } = outgoing
  // Middleware compares the length with its threshold, and logs it.
  if (kind === 'whole') outgoing.headers.set('content-length', String(lengthBytes))
  output.isWhole = kind === 'whole'
  if (!NodeResponse.isBodyPatched(response)) writeHead(response)
  else if (kind === 'stream') passStream(response, output, outgoing)
  else passWhole(response, output, outgoing, whole instanceof Uint8Array ? bufferOf(whole) : whole)
}

/** Runs the hooks on `writeHead`. */
function writeHead(response: NodeResponse): void {
  if (!response.headersSent) response._implicitHeader()
}

function passWhole(
  response: NodeResponse,
  output: ResponseOutput,
  outgoing: OutgoingResponse,
  body: string | Uint8Array | null,
): void {
  const sink = new WholeSink()
  output.sink = sink
  response.end(body)
  if (!sink.isEnded) {
    // The exchange can end before the middleware ends the response.
    NodeResponse.watch(response)
    replaceLater(outgoing, sink.whole)
    // A patched method can set a status without a body.
  } else if (outgoing.kind === 'whole' && sink.only !== body) outgoing.replace(sink.bytes)
  // Only `replaceLater` adds a body to a response without one.
  else if (body === null && sink.bytes.length > 0) replaceLater(outgoing, sink.whole)
}

function replaceLater(outgoing: OutgoingResponse, body: Promise<Uint8Array>): void {
  try {
    outgoing.replaceLater(body)
  } catch (error) {
    // `startResponse()` sends the head of a response without a body now, so that middleware cannot delay it.
    if (outgoing.kind !== 'none') throw error
  }
}

function passStream(response: NodeResponse, output: ResponseOutput, outgoing: OutgoingResponse): void {
  const isEndless = outgoing.lengthBytes === undefined
  writeHead(response)
  const sink = new PushSink()
  output.sink = sink
  if (!response._hasBody) {
    response.end()
    return
  }
  const announced = outgoing.headers.get('content-length')
  // Clients of endless responses wait for each piece.
  const flushEach = isEndless && 'flush' in response
  outgoing.encode(() => new PatchedEncoder(response, sink), { flushEach })
  // Middleware that changes the length has removed the field.
  if (announced !== null) outgoing.headers.set('content-length', announced)
}

/** Returns the same bytes as a `Buffer`, on which middleware calls `toString()`. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Writes a body through patched methods. */
class PatchedEncoder implements BodyEncoder {
  readonly #response: NodeResponse
  readonly #sink: PushSink
  #resume: (() => void) | undefined = undefined

  constructor(response: NodeResponse, sink: PushSink) {
    this.#response = response
    this.#sink = sink
    // One listener for all writes: `compression` adds it to its own stream, and cannot remove it.
    response.on('drain', () => this.#continue())
  }

  write(chunk: Uint8Array, push: PushBytes): void | Promise<void> {
    this.#sink.push = push
    if (this.#response.write(bufferOf(chunk))) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  flush(push: PushBytes): void {
    this.#sink.push = push
    const { flush } = this.#response as { flush?: () => void }
    flush?.call(this.#response)
  }

  end(push: PushBytes): void | Promise<void> {
    this.#sink.push = push
    this.#response.end()
    return this.#sink.isEnded ? undefined : this.#sink.ended
  }

  cancel(): void {
    this.#sink.end()
    this.#continue()
  }

  #continue(): void {
    this.#resume?.()
    this.#resume = undefined
  }
}
