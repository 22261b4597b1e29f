import { showValue } from '@fw/options'
import { Readable } from 'node:stream'
import type { BodySource, FieldList, ResponseInit } from '@fw/types'
import { discardSource } from './body-source.ts'
import { responseFields } from './response-like.ts'
import { ResponseHeaderList, type HeadSender } from './response-headers.ts'
import { readHandlerResult, type ResponseBody, jsonText, type Serialize } from './handler-result.ts'
import { checkInit, headerEntries } from './response-init.ts'

/** What describes a body and goes with it when it is given up. Other `content-*` fields, such as policies, stay. */
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
/** A `cache-control` that only ever restricts; any other was meant for the body that is given up. */
const RESTRICTS_CACHES = /no-store|no-cache|private/i

/** The response as far as it was prepared: status, fields and body, none of them sent. */
export class PreparedResponse {
  readonly #sender: HeadSender | undefined
  #status = 200
  #statusIsSet = false
  #body: ResponseBody | undefined = undefined
  #isOfResponse = false
  #headers: ResponseHeaderList | undefined = undefined
  /** The content type that the body implies; among the fields once there are any, but not as one that was set. */
  #impliedType: string | undefined = undefined

  /** @param sender Who is told of changes that come too late */
  constructor(sender?: HeadSender) {
    this.#sender = sender
  }

  get status(): number {
    return this.#status
  }

  set status(status: number) {
    if (!Number.isInteger(status) || status < 200 || status > 599) {
      throw new RangeError(`response: status must be an integer from 200 to 599, got ${showValue(status)}.`)
    }
    if (this.#sender?.headSent === true) {
      this.#sender.onLateChange('the status')
      return
    }
    this.#status = status
    this.#statusIsSet = true
  }

  /** Whether a status was chosen. */
  get hasStatus(): boolean {
    return this.#statusIsSet
  }

  /** Whether a body was given, be it none (`null`). */
  get hasBody(): boolean {
    return this.#body !== undefined
  }

  get body(): ResponseBody {
    return this.#body ?? null
  }

  /** Whether the body is that of a `Response`, which can be a text as well as a stream. */
  get isOfResponse(): boolean {
    return this.#isOfResponse
  }

  get headers(): ResponseHeaderList {
    return (this.#headers ??= new ResponseHeaderList(this.#sender, this.fields))
  }

  /** The fields to send. */
  get fields(): FieldList {
    if (this.#headers !== undefined) return this.#headers.fields
    return this.#impliedType === undefined ? [] : ['content-type', this.#impliedType]
  }

  /** Prepares a body in place of the one before. Releases both if it throws. */
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
   * Prepares what a handler returned; `undefined` says that it answered through the context, or has nothing to say.
   *
   * @throws as `readHandlerResult`
   */
  take(result: unknown, serialize: Serialize = jsonText): void {
    if (result === undefined) {
      if (!this.hasBody && !this.#statusIsSet) this.status = 204
      return
    }
    const { body, contentType, response } = readHandlerResult(result, serialize, this.#status)
    this.set(body, contentType)
    if (response === undefined) return
    this.#isOfResponse = true
    try {
      this.status = response.status
      const seen = new Set(['set-cookie'])
      for (const [name, value] of responseFields(response)) {
        // Cookies add up; any other field of the `Response` takes the place of a prepared one.
        if (seen.has(name)) this.headers.append(name, value)
        else this.headers.set(name, value)
        seen.add(name)
      }
    } catch (error) {
      this.discardBody()
      throw error
    }
  }

  /** Gives the body away without releasing it: whoever has it must read or release it. */
  handOverBody(): void {
    this.#body = undefined
  }

  /** The status and fields, to be changed apart from these. */
  copyHead(): PreparedResponse {
    const copy = new PreparedResponse(this.#sender)
    copy.#status = this.#status
    copy.#statusIsSet = this.#statusIsSet
    for (const [name, value] of this.headers) copy.headers.append(name, value)
    return copy
  }

  /** Gives up the body and what describes it; the other fields stay. */
  abandonBody(): void {
    this.#replaceBody(undefined)
    this.#impliedType = undefined
    const headers = this.#headers
    if (headers === undefined) return
    for (const name of BODY_FIELDS) headers.delete(name)
    if (!RESTRICTS_CACHES.test(headers.get('cache-control') ?? '')) headers.delete('cache-control')
  }

  /** Releases a body that is not sent. The status and the fields stay. */
  discardBody(): void {
    this.#replaceBody(undefined)
  }

  #replaceBody(body: ResponseBody | undefined): void {
    const before = this.#body
    this.#body = body
    this.#isOfResponse = false
    // It may fail before it is read, while middleware still runs; whoever reads it is told then.
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
