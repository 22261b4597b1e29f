import { showValue, withCode } from '@fw/options'
import { Readable } from 'node:stream'
import type { BodySource, FieldList, ResponseInit } from '@fw/types'
import { discardSource } from './body-source.ts'
import { responseFields } from './response-like.ts'
import { ResponseHeaderList, type HeadSender } from './response-headers.ts'
import { readHandlerResult, type ResponseBody, jsonText, type Serialize } from './handler-result.ts'
import { checkInit, headerEntries } from './response-init.ts'

/** Fields that describe a body, and that `abandonBody` deletes. Other `content-*` fields, such as policies, remain. */
const BODY_FIELDS = [
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-range',
  'content-type',
  'etag',
  'expires',
  'last-modified',
]
/** Matches a `cache-control` that only restricts caches. Any other value was meant for the abandoned body. */
const RESTRICTS_CACHES = /no-store|no-cache|private/i

/** Stores the status, fields and body of a response before they are sent. */
export class PreparedResponse {
  readonly #sender: HeadSender | undefined
  #status = 200
  #statusIsSet = false
  #body: ResponseBody | undefined = undefined
  #isFromResponse = false
  #headers: ResponseHeaderList | undefined = undefined
  /**
   * The content type that the body implies. A later body replaces this type in `#headers`, but not one that was set
   * explicitly.
   */
  #impliedType: string | undefined = undefined

  /** @param sender Receives changes that are made after the head was sent */
  constructor(sender?: HeadSender) {
    this.#sender = sender
  }

  get status(): number {
    return this.#status
  }

  set status(status: number) {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw withCode(
        'FW_INVALID_STATUS',
        new RangeError(
          `response: status must be an integer from 200 to 599, got ${showValue(status)}. Write, for example, 404.`,
        ),
      )
    }
    if (this.#sender?.headSent === true) {
      this.#sender.onLateChange('the status was changed')
      return
    }
    this.#status = status
    this.#statusIsSet = true
  }

  /** Whether a status was set. */
  get hasStatus(): boolean {
    return this.#statusIsSet
  }

  /** Whether a body was set, including `null`. */
  get hasBody(): boolean {
    return this.#body !== undefined
  }

  get body(): ResponseBody {
    return this.#body ?? null
  }

  /** Whether the body comes from a `Response`, whose stream can contain a complete string. */
  get isFromResponse(): boolean {
    return this.#isFromResponse
  }

  get headers(): ResponseHeaderList {
    return (this.#headers ??= new ResponseHeaderList(this.#sender, this.fields))
  }

  /** The fields to send. */
  get fields(): FieldList {
    if (this.#headers !== undefined) return this.#headers.fields
    return this.#impliedType === undefined ? [] : ['content-type', this.#impliedType]
  }

  /** Sets the body and releases the previous one. Releases both if this method throws. */
  set(body: ResponseBody, contentType: string | undefined, init?: ResponseInit): void {
    this.#replaceBody(body)
    this.#imply(contentType)
    if (init === undefined) return
    try {
      const { status, headers } = checkInit(init)
      if (status !== undefined) this.status = status
      if (headers === undefined) return
      for (const [name, value] of headerEntries(headers)) this.headers.set(name, value)
    } catch (error) {
      this.discardBody()
      throw error
    }
  }

  /**
   * Prepares a handler's result. For `undefined`, keeps the response that the handler prepared through the context, or
   * sets the status to 204 if there is none.
   *
   * @throws like `readHandlerResult`
   */
  take(result: unknown, serialize: Serialize = jsonText): void {
    if (result === undefined) {
      if (!this.hasBody && !this.#statusIsSet) this.status = 204
      return
    }
    const { body, contentType, response } = readHandlerResult(result, serialize, this.#status)
    this.set(body, contentType)
    if (response === undefined) return
    this.#isFromResponse = true
    try {
      this.status = response.status
      const seen = new Set(['set-cookie'])
      for (const [name, value] of responseFields(response)) {
        // Cookies are added. Any other field from the `Response` replaces a prepared one.
        if (seen.has(name)) this.headers.append(name, value)
        else this.headers.set(name, value)
        seen.add(name)
      }
    } catch (error) {
      this.discardBody()
      throw error
    }
  }

  /** Removes the body without releasing it. The caller must read or release it. */
  handOverBody(): void {
    this.#body = undefined
  }

  /** Returns a copy of the status and fields, without the body. */
  copyHead(): PreparedResponse {
    const copy = new PreparedResponse(this.#sender)
    copy.#status = this.#status
    copy.#statusIsSet = this.#statusIsSet
    for (const [name, value] of this.headers) copy.headers.append(name, value)
    return copy
  }

  /** Releases the body and deletes the fields that describe it. Keeps the other fields. */
  abandonBody(): void {
    this.#replaceBody(undefined)
    this.#impliedType = undefined
    const headers = this.#headers
    if (headers === undefined) return
    for (const name of BODY_FIELDS) headers.delete(name)
    if (!RESTRICTS_CACHES.test(headers.get('cache-control') ?? '')) headers.delete('cache-control')
  }

  /** Releases a body that is not sent. Keeps the status and the fields. */
  discardBody(): void {
    this.#replaceBody(undefined)
  }

  #replaceBody(body: ResponseBody | undefined): void {
    const before = this.#body
    this.#body = body
    this.#isFromResponse = false
    // The stream can fail before it is read, while middleware is still running. Its reader reports the error later.
    if (body instanceof Readable) body.on('error', ignore)
    if (before !== body && isSource(before)) discardSource(before)
  }

  #imply(contentType: string | undefined): void {
    const before = this.#impliedType
    this.#impliedType = contentType
    const headers = this.#headers
    if (headers === undefined) return
    const current = headers.get('content-type')
    if (current !== null && current !== before) return
    if (contentType !== undefined) headers.set('content-type', contentType)
    else headers.delete('content-type')
  }
}

function isSource(body: ResponseBody | undefined): body is BodySource {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array)
}

function ignore(): void {}
