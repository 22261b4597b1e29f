import type { FieldList } from '@fw/types'
import type { EngineHost } from '../engine/engine-host.ts'
import { httpDate } from '../engine/fields/http-date.ts'
import type { ResponseHead } from '../engine/exchange/response-head.ts'
import type { FrameWriter } from './sending/frame-writer.ts'

/** Sends the field sections of responses. */
export class ResponseFields {
  readonly #writer: FrameWriter
  readonly #host: EngineHost

  constructor(writer: FrameWriter, host: EngineHost) {
    this.#writer = writer
    this.#host = host
  }

  /** Sends a final response head. @see RFC 9113 §8.3.2 */
  head(streamId: number, status: number, { fields, hasDate, contentLength }: ResponseHead, endsStream: boolean): void {
    const { altSvc } = this.#host
    const section = fields.slice()
    if (!hasDate) section.push('date', httpDate())
    if (altSvc !== '') section.push('alt-svc', altSvc)
    if (contentLength !== undefined) section.push('content-length', String(contentLength))
    this.#writer.fields(streamId, endsStream, status, section)
  }

  /** Sends a 1xx response head. @see RFC 9113 §8.1 */
  informational(streamId: number, status: number, fields: FieldList): void {
    this.#writer.fields(streamId, false, status, fields)
    this.#writer.flushSoon()
  }

  /** Sends trailers, which end the response. */
  trailers(streamId: number, fields: FieldList): void {
    this.#writer.fields(streamId, true, 0, fields)
  }
}
