import { showType, withCode } from '@fw/options'
import type {
  BodyEncoder,
  Context,
  EncodeOptions,
  OutgoingResponse,
  ResponseBody,
  ResponseFilter,
  ResponseHeaders,
} from '@fw/types'
import { allowsBody } from '../engine/exchange/response-head.ts'
import { EncodedBody } from './encoded-body.ts'
import type { PreparedResponse } from './prepared-response.ts'

/** Placeholder for a body that is sent in pieces after the head. */
export const STREAM: unique symbol = Symbol('stream')

type WholeBody = string | Uint8Array | null

interface Encoding {
  readonly open: () => BodyEncoder
  readonly flushEach: boolean
}

/** A prepared response while its filters run. */
export class Outgoing implements OutgoingResponse {
  readonly #prepared: PreparedResponse
  readonly #method: string
  #body: WholeBody | typeof STREAM
  #later: Promise<string | Uint8Array> | undefined = undefined
  /** The encodings, in the order in which they apply. */
  readonly #encodings: Encoding[] = []

  constructor(prepared: PreparedResponse, method: string, body: WholeBody | typeof STREAM) {
    this.#prepared = prepared
    this.#method = method
    this.#body = body
  }

  get status(): number {
    return this.#prepared.status
  }

  set status(status: number) {
    this.#prepared.status = status
  }

  get headers(): ResponseHeaders {
    return this.#prepared.headers
  }

  get kind(): 'none' | 'whole' | 'stream' {
    if (!allowsBody('GET', this.status)) return 'none'
    if (this.isEncoded || this.#body === STREAM) return 'stream'
    if (this.#body !== null) return 'whole'
    // For HEAD, handlers can announce the length of the GET response without its body.
    return this.#method === 'HEAD' && this.headers.has('content-length') ? 'stream' : 'none'
  }

  get whole(): WholeBody {
    return this.kind === 'whole' ? this.body : null
  }

  get lengthBytes(): number | undefined {
    const { kind, whole } = this
    if (kind === 'whole' && whole !== null) {
      return typeof whole === 'string' ? Buffer.byteLength(whole) : whole.byteLength
    }
    const announced = kind === 'stream' ? this.headers.get('content-length') : null
    return announced !== null && /^\d{1,15}$/.test(announced) ? Number(announced) : undefined
  }

  /** Whether filters encode the body piece by piece. */
  get isEncoded(): boolean {
    return this.#encodings.length > 0
  }

  /** The whole body, before it is encoded. */
  get body(): WholeBody {
    return this.#body === STREAM ? null : this.#body
  }

  replace(body: WholeBody): void {
    this.#requireWhole('replace')
    if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) throw notABody('replace', body)
    this.#setBody(body)
  }

  replaceLater(body: Promise<string | Uint8Array>): void {
    try {
      // A response without a body can also wait, unless `startResponse()` sends the head now.
      if (this.#body === STREAM || this.isEncoded || this.kind === 'stream') this.#requireWhole('replaceLater')
    } catch (error) {
      // No caller waits for the body.
      Promise.resolve(body).catch(() => {})
      throw error
    }
    this.#later = Promise.resolve(body)
    // Prevent an unhandled rejection: a later call can replace this promise, and a filter can throw before it is
    // awaited.
    this.#later.catch(() => {})
  }

  encode(open: () => BodyEncoder, { flushEach = false }: EncodeOptions = {}): void {
    if (this.kind === 'none') {
      throw withCode('FW_INVALID_ARGUMENT', new TypeError('encode: the response has no body. Check kind first.'))
    }
    this.headers.delete('content-length')
    this.#encodings.push({ open, flushEach })
  }

  /**
   * Runs the filters, the last one first.
   *
   * @returns A promise if a filter delays the head
   * @throws an error from a filter
   */
  run(filters: readonly ResponseFilter[], ctx: Context, from: number = filters.length - 1): Promise<void> | undefined {
    for (let i = from; i >= 0; i--) {
      const result: unknown = filters[i]?.(this, ctx)
      if (result instanceof Promise) throw asynchronous(result)
      const later = this.#later
      if (later === undefined) continue
      this.#later = undefined
      return later.then((body) => {
        if (typeof body !== 'string' && !(body instanceof Uint8Array)) throw notABody('replaceLater', body)
        // A body that stays empty keeps its `content-length`, which can be that of the GET response.
        if (this.kind !== 'none' || body.length > 0) this.#setBody(body)
        return this.run(filters, ctx, i - 1)
      })
    }
    return undefined
  }

  /**
   * Opens the encoders, and returns a body that writes through them to `target`.
   *
   * @param onError Receives an error from an encoder
   * @throws the error from an encoder that cannot be opened, after releasing the others
   */
  openEncoders(target: ResponseBody, onError: (error: unknown) => void): EncodedBody | undefined {
    let body: EncodedBody | undefined
    for (const { open, flushEach } of this.#encodings.toReversed()) {
      try {
        body = new EncodedBody(body ?? target, open(), flushEach, onError)
      } catch (error) {
        body?.cancel()
        throw error
      }
    }
    return body
  }

  #setBody(body: WholeBody): void {
    this.#body = body
    // The exchange announces the length of the new body.
    this.headers.delete('content-length')
  }

  #requireWhole(api: string): void {
    const { kind } = this
    if (kind === 'whole') return
    throw withCode(
      'FW_INVALID_ARGUMENT',
      new TypeError(`${api}: the body must be of kind "whole", got "${kind}". Check kind first, or use encode().`),
    )
  }
}

/** @throws {TypeError} if a filter is not a function */
export function checkFilter(filter: unknown): void {
  if (typeof filter === 'function') return
  throw withCode(
    'FW_INVALID_HANDLER',
    new TypeError(`ctx.filterResponse: filter must be a function, got ${showType(filter)}. Pass (response) => { … }.`),
  )
}

function notABody(api: string, body: unknown): TypeError {
  return withCode(
    'FW_INVALID_BODY',
    new TypeError(`${api}: body must be a string or a Uint8Array, got ${showType(body)}. Use Buffer.from(…).`),
  )
}

/** Returns the error for a filter that is an async function, and ignores its rejection. */
function asynchronous(result: Promise<unknown>): TypeError {
  result.catch(() => {})
  return withCode(
    'FW_INVALID_HANDLER',
    new TypeError('ctx.filterResponse: filter must not return a promise. Use response.replaceLater() to wait.'),
  )
}
