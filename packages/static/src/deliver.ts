import { setTimeout as delay } from 'node:timers/promises'
import type { Context, ResponseBody, ResponseHeaders } from '@fw/types'
import { planResponse, type PlannedResponse } from './http/plan-response.ts'
import type { FileFailure } from './files/file-failure.ts'
import type { FileIdentity } from './files/file-identity.ts'
import { HttpError, unavailable } from './http/http-error.ts'
import type { Representation } from './http/representation.ts'
import type { Changed, Sample } from './files/sample.ts'
import type { FileSource, MemorySource, Source } from './files/source.ts'
import { streamFile } from './files/stream-file.ts'

/** A stored file on its way to a client. */
export interface Delivery {
  /** Opens the file; again if it changes before anything was sent. An open file is closed by `deliver`. */
  open(): Source | Promise<Source | FileFailure>
  /** Describes what was opened. */
  describe(stats: FileIdentity): Representation
  /** Whether to send the file from memory, by `load`. Otherwise it is streamed. */
  isLoaded(file: FileSource): boolean
  /** Reads a file into memory; one of which something was read `before` may have grown since it was opened. */
  load(file: FileSource, before: Sample | undefined): Promise<MemorySource | Changed>
  /** Prepares further fields of the response: 200, 206, or 304, which has none that describe a body. */
  readonly prepare: (headers: ResponseHeaders, status: Sendable['status']) => void
  /** Told about a file that was changed while it was sent, so that the response was cut off. */
  onCut(): void
}

/** A response that carries the representation, or says that the client has it. */
type Sendable = Exclude<PlannedResponse, { readonly status: 412 } | { readonly status: 416 }>

/**
 * How long to wait before a file that was changed while it was read is tried anew, in milliseconds. A file that is written
 * in place is complete by then; one that goes on growing, such as a log, may have grown the last time.
 */
const PAUSES_MS: readonly number[] = [0, 2, 8, 32]

/**
 * Answers a request with a stored file: 200, 206 or 304. The file is read only if its bytes are sent.
 *
 * @returns Why there is no file; then nothing was prepared or sent
 * @throws {HttpError} 412 or 416; 503 if the file does not keep still
 * @throws the error of the file system
 */
export async function deliver(ctx: Context, delivery: Delivery): Promise<FileFailure | undefined> {
  let before: Sample | undefined
  for (const [attempt, pauseMs] of PAUSES_MS.entries()) {
    if (pauseMs > 0) await delay(pauseMs)
    const source = await delivery.open()
    if (typeof source === 'string') return source
    if ('bytes' in source) {
      deliverLoaded(ctx, delivery.describe(source.stats), source, delivery.prepare)
      return undefined
    }
    try {
      const isLast = attempt === PAUSES_MS.length - 1
      const changed = await sendFrom(ctx, delivery, source, isLast ? before : undefined)
      if (changed === undefined) return undefined
      before = changed.before
    } finally {
      await source.close()
    }
  }
  throw unavailable('The file is being changed')
}

/** Responses from an open file; says so if it was changed since it was opened, and nothing was sent. */
async function sendFrom(
  ctx: Context,
  delivery: Delivery,
  source: FileSource,
  before: Sample | undefined,
): Promise<Changed | undefined> {
  const representation = delivery.describe(source.stats)
  const response = planFor(ctx, representation)
  if (!hasBody(ctx, response)) {
    sendHead(ctx, delivery.prepare, representation, response)
    return undefined
  }
  if (delivery.isLoaded(source)) {
    const loaded = await delivery.load(source, before)
    if (!('bytes' in loaded)) return loaded
    sendLoaded(ctx, delivery.prepare, representation, response, loaded)
    return undefined
  }
  const { start, end } = 'range' in response ? response.range : { start: 0, end: representation.size - 1 }
  const begin = (): ResponseBody => {
    prepare(ctx, delivery.prepare, representation, response)
    ctx.responseHeaders.set('content-length', String(end - start + 1))
    return ctx.startResponse()
  }
  const outcome = await streamFile(begin, source, start, end, before)
  if (outcome === 'cut') delivery.onCut()
  return typeof outcome === 'string' ? undefined : outcome
}

/**
 * As `deliver`, for a file in memory.
 *
 * @throws {HttpError} 412 or 416
 */
export function deliverLoaded(
  ctx: Context,
  representation: Representation,
  source: MemorySource,
  prepareMore: Delivery['prepare'],
): void {
  const response = planFor(ctx, representation)
  if (hasBody(ctx, response)) sendLoaded(ctx, prepareMore, representation, response, source)
  else sendHead(ctx, prepareMore, representation, response)
}

/**
 * Conditions and ranges are about reading what is there (RFC 9110 §13.2.1): not about a file that answers a POST, nor
 * one that is the page of an error.
 */
function planFor(ctx: Context, representation: Representation): Sendable {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  if (!isRead || ctx.status !== 200) return { status: 200 }
  const response = planResponse(ctx.method, ctx.headers, representation)
  if (response.status === 412) throw new HttpError(412, 'The file is not what the conditions of the request ask for')
  if (response.status === 416) {
    throw new HttpError(416, `The file has ${representation.size} bytes`, {
      'content-range': `bytes */${representation.size}`,
      'accept-ranges': 'bytes',
    })
  }
  return response
}

function hasBody(ctx: Context, { status }: Sendable): boolean {
  return status !== 304 && ctx.method !== 'HEAD'
}

function sendLoaded(
  ctx: Context,
  prepareMore: Delivery['prepare'],
  representation: Representation,
  response: Sendable,
  { bytes, borrow }: MemorySource,
): void {
  prepare(ctx, prepareMore, representation, response)
  if (borrow !== undefined) ctx.onFinish(borrow())
  ctx.bytes('range' in response ? bytes.subarray(response.range.start, response.range.end + 1) : bytes)
}

function sendHead(
  ctx: Context,
  prepareMore: Delivery['prepare'],
  representation: Representation,
  response: Sendable,
): void {
  prepare(ctx, prepareMore, representation, response)
  // RFC 9110 §9.3.2: a HEAD response says how long the body of GET would be.
  if (response.status === 200) ctx.responseHeaders.set('content-length', String(representation.size))
  ctx.empty(ctx.status)
}

function prepare(
  ctx: Context,
  prepareMore: Delivery['prepare'],
  representation: Representation,
  response: Sendable,
): void {
  const headers = ctx.responseHeaders
  if (response.status !== 200) ctx.status = response.status
  // RFC 9110 §15.4.5: a 304 repeats what updates a cache, and the client has the rest.
  if (response.status === 304) headers.setAll(representation.validatorFields)
  else {
    const prepared = headers.get('content-type')
    headers.setAll(representation.fields)
    if (prepared !== null) headers.set('content-type', prepared)
  }
  const { isFromFuture, lastModified } = representation
  if (isFromFuture && lastModified !== undefined) headers.set('last-modified', pastDate(lastModified))
  prepareMore(headers, response.status)
  if (!('range' in response)) return
  headers.set('content-range', `bytes ${response.range.start}-${response.range.end}/${representation.size}`)
}

/** RFC 9110 §8.8.2.1: what comes from the future was modified now, at the latest. */
function pastDate(seconds: number): string {
  return new Date(Math.min(seconds * 1000, Date.now())).toUTCString()
}
