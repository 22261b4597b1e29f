import { strict as assert } from 'node:assert'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { Load } from '../load/load.ts'
import type { ExpectedResponse, LoadShape } from './scenario.ts'

/** Response received over any version of HTTP. */
export interface ReceivedResponse {
  readonly status: number
  /** Value of `content-type`; `undefined` if the client cannot decode it. */
  readonly type: string | undefined
  readonly coding: string
  readonly etag: string
  readonly body: Buffer
  /** Number of bytes that the load generator counts for this response; `undefined` if it can vary. */
  readonly countedBytes: number | undefined
}

/** Compares a response with the expected one. @throws {Error} with the first difference */
export function compareResponse(expected: ExpectedResponse, received: ReceivedResponse): void {
  assert.equal(received.status, expected.status, 'The status is different')
  const { type = expected.type ?? '' } = received
  assert(type.startsWith(expected.type ?? ''), `The type is ${type}, expected ${expected.type}`)
  assert.equal(received.coding, expected.coding ?? '', 'The content coding is different')
  const body = expected.isDecoded === true ? decode(received) : received.body
  compareBody(body, Buffer.from(expected.body))
}

function decode({ coding, body }: ReceivedResponse): Buffer {
  if (coding === 'gzip') return gunzipSync(body)
  if (coding === 'br') return brotliDecompressSync(body)
  if (coding === 'zstd') return zstdDecompressSync(body)
  throw new Error(`The content coding ${coding} is unknown`)
}

/** Compares two bodies. @throws {Error} if any byte differs */
export function compareBody(received: Buffer, expected: Buffer): void {
  assert(
    received.equals(expected),
    `The content is different: ${received.byteLength} bytes, expected ${expected.byteLength}`,
  )
}

/**
 * Checks that every response during the load was as large as the checked response.
 *
 * @param responseBytes `countedBytes` of the checked response
 * @throws {Error} if the received bytes do not match the counted responses and the partial ones at the end
 */
export function checkVolume({ requests, bytes }: Load, responseBytes: number | undefined, shape: LoadShape): void {
  if (bytes === undefined || responseBytes === undefined) return
  const partial = shape.connections * (shape.depth ?? 1)
  const [min, max] = [requests * responseBytes, (requests + partial) * responseBytes]
  assert(bytes >= min && bytes <= max, `${requests} responses have ${bytes} bytes, expected ${min} to ${max}`)
}
