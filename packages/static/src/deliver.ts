import { setTimeout as delay } from 'node:timers/promises'
import { FileRequest, type Sidecar } from '@fw/http-fields'
import { HttpError, withCode } from '@fw/options'
import type { Context, ResponseBody, ResponseHeaders } from '@fw/types'
import { planResponse, type PlannedResponse } from './http/plan-response.ts'
import type { FileFailure } from './files/file-failure.ts'
import type { FileIdentity } from './files/file-identity.ts'
import { unavailable } from './http/refuse.ts'
import type { Representation } from './http/representation.ts'
import type { Changed, Sample } from './files/sample.ts'
import type { FileSource, MemorySource, Source } from './files/source.ts'
import { streamFile } from './files/stream-file.ts'

/** Describes one response with a file. */
export interface Labels {
  /** Absolute path of the file, without the suffix of a sidecar. */
  readonly path: string
  /** The sidecar that middleware did not want. */
  readonly sidecar?: Sidecar | undefined
  /** Sets additional header fields for status 200, 206 or 304. A 304 has no fields that describe a body. */
  readonly prepare: (headers: ResponseHeaders, status: Sendable['status']) => void
}

/** Describes how to open, read and label the file for one response. */
export interface Delivery extends Labels {
  /** Opens the file. `deliver` closes the file, and calls this again if the file changes before the first byte is sent. */
  open(): Source | Promise<Source | FileFailure>
  /** Returns the representation of an opened file. */
  describe(stats: FileIdentity): Representation
  /** Reports whether to read the file into memory with `load`. Other files are streamed. */
  isLoaded(file: FileSource): boolean
  /** Reads a file into memory. With `before`, a sample from an earlier attempt, accepts a file that has only grown. */
  load(file: FileSource, before: Sample | undefined): Promise<MemorySource | Changed>
  /** Called when a change to the file aborts the response. */
  onCut(): void
}

/** A response with the representation, or a 304 without it. */
type Sendable = Exclude<PlannedResponse, { readonly status: 412 } | { readonly status: 416 }>

/**
 * Pauses in milliseconds before each attempt to read a file that changes while it is being read. A file written in place is
 * usually complete by then. The last attempt accepts a file that only grows, such as a log.
 */
const PAUSES_MS: readonly number[] = [0, 2, 8, 32]

/**
 * Answers a request with a file: 200, 206 or 304. Reads the file only if the response has a body.
 *
 * @returns The failure if the file cannot be opened; the response is then unchanged
 * @throws {HttpError} 412 or 416; 503 if the file changes during every attempt
 * @throws any other file system error
 */
export async function deliver(ctx: Context, delivery: Delivery): Promise<FileFailure | undefined> {
  let before: Sample | undefined
  for (const [attempt, pauseMs] of PAUSES_MS.entries()) {
    if (pauseMs > 0) await delay(pauseMs)
    const source = await delivery.open()
    if (typeof source === 'string') return source
    if ('bytes' in source) {
      deliverLoaded(ctx, delivery.describe(source.stats), source, delivery)
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

/** Sends an open file. Returns the change if the file changed before the first byte was sent. */
async function sendFrom(
  ctx: Context,
  delivery: Delivery,
  source: FileSource,
  before: Sample | undefined,
): Promise<Changed | undefined> {
  const representation = delivery.describe(source.stats)
  const response = planFor(ctx, representation)
  if (!hasBody(ctx, response)) {
    sendHead(ctx, delivery, representation, response)
    return undefined
  }
  if (delivery.isLoaded(source)) {
    const loaded = await delivery.load(source, before)
    if (!('bytes' in loaded)) return loaded
    sendLoaded(ctx, delivery, representation, response, loaded)
    return undefined
  }
  const { start, end } = 'range' in response ? response.range : { start: 0, end: representation.size - 1 }
  const begin = (): ResponseBody => {
    prepare(ctx, delivery, representation, response)
    report(ctx, delivery, representation, undefined)
    ctx.responseHeaders.set('content-length', String(end - start + 1))
    return ctx.startResponse()
  }
  const outcome = await streamFile(begin, source, start, end, before)
  if (outcome === 'cut') delivery.onCut()
  return typeof outcome === 'string' ? undefined : outcome
}

/**
 * Answers a request with a file in memory: 200, 206 or 304.
 *
 * @throws {HttpError} 412 or 416
 */
export function deliverLoaded(
  ctx: Context,
  representation: Representation,
  source: MemorySource,
  labels: Labels,
): void {
  const response = planFor(ctx, representation)
  if (hasBody(ctx, response)) sendLoaded(ctx, labels, representation, response, source)
  else sendHead(ctx, labels, representation, response)
}

/**
 * Chooses the response. RFC 9110 §13.2.1: conditions and ranges apply only to GET and HEAD with status 200. A file that answers
 * a POST or serves as an error page is always sent whole.
 */
function planFor(ctx: Context, representation: Representation): Sendable {
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
  if (!isRead || ctx.status !== 200) return { status: 200 }
  const response = planResponse(ctx.method, ctx.headers, representation)
  if (response.status === 412) {
    throw withCode(
      'FW_PRECONDITION_FAILED',
      new HttpError(412, 'The file does not match the conditions of the request'),
    )
  }
  if (response.status === 416) {
    throw withCode(
      'FW_RANGE_NOT_SATISFIABLE',
      new HttpError(416, `The file has ${representation.size} bytes`, {
        'content-range': `bytes */${representation.size}`,
        'accept-ranges': 'bytes',
      }),
    )
  }
  return response
}

function hasBody(ctx: Context, { status }: Sendable): boolean {
  return status !== 304 && ctx.method !== 'HEAD'
}

function sendLoaded(
  ctx: Context,
  labels: Labels,
  representation: Representation,
  response: Sendable,
  { bytes, borrow }: MemorySource,
): void {
  prepare(ctx, labels, representation, response)
  report(ctx, labels, representation, bytes)
  if (borrow !== undefined) ctx.onFinish(borrow())
  ctx.bytes('range' in response ? bytes.subarray(response.range.start, response.range.end + 1) : bytes)
}

function sendHead(ctx: Context, labels: Labels, representation: Representation, response: Sendable): void {
  prepare(ctx, labels, representation, response)
  // RFC 9110 §9.3.2: HEAD has the same Content-Length as GET.
  if (response.status === 200) {
    report(ctx, labels, representation, undefined)
    ctx.responseHeaders.set('content-length', String(representation.size))
  }
  ctx.empty(ctx.status)
}

/** Tells the middleware that asked for it which file is sent. */
function report(
  ctx: Context,
  { path, sidecar }: Labels,
  { size: lengthBytes }: Representation,
  bytes: Uint8Array | undefined,
): void {
  const asked = ctx.get(FileRequest)
  if (asked !== null) asked.sent = { path, lengthBytes, bytes, sidecar }
}

function prepare(ctx: Context, labels: Labels, representation: Representation, response: Sendable): void {
  const headers = ctx.responseHeaders
  if (response.status !== 200) ctx.status = response.status
  // RFC 9110 §15.4.5: a 304 repeats only the fields that update a cache.
  if (response.status === 304) headers.setAll(representation.validatorFields)
  else {
    const prepared = headers.get('content-type')
    headers.setAll(representation.fields)
    if (prepared !== null) headers.set('content-type', prepared)
  }
  const { isFromFuture, lastModified } = representation
  if (isFromFuture && lastModified !== undefined) headers.set('last-modified', pastDate(lastModified))
  labels.prepare(headers, response.status)
  if (!('range' in response)) return
  headers.set('content-range', `bytes ${response.range.start}-${response.range.end}/${representation.size}`)
}

/** Returns the date, or the current time if the date is in the future (RFC 9110 §8.8.2.1). */
function pastDate(seconds: number): string {
  return new Date(Math.min(seconds * 1000, Date.now())).toUTCString()
}
