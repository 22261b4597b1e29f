import { strict as assert } from 'node:assert'
import type { Load } from '../load/load.ts'
import type { ExpectedResponse, LoadShape } from './scenario.ts'

/** What came, in any version of HTTP. */
export interface ReceivedResponse {
  readonly status: number
  /** `undefined` where the client cannot read it. */
  readonly type: string | undefined
  readonly coding: string
  readonly etag: string
  readonly body: Buffer
  /** Bytes of it that the load generator will count; `undefined` if it could as well be sent in other pieces. */
  readonly countedBytes: number | undefined
}

/** @throws {Error} that says in what the response differs */
export function compareResponse(expected: ExpectedResponse, received: ReceivedResponse): void {
  assert.equal(received.status, expected.status, 'The status is another one')
  const { type = expected.type ?? '' } = received
  assert(type.startsWith(expected.type ?? ''), `The type is ${type}, not ${expected.type}`)
  assert.equal(received.coding, expected.coding ?? '', 'The content coding is another one')
  compareBody(received.body, Buffer.from(expected.body))
}

/** @throws {Error} if any byte differs */
export function compareBody(received: Buffer, expected: Buffer): void {
  assert(
    received.equals(expected),
    `The content is another one: ${received.byteLength} bytes, expected ${expected.byteLength}`,
  )
}

/**
 * Every response of the load must have had the size of the one that was checked.
 *
 * @param responseBytes `countedBytes` of the response that was checked
 * @throws {Error} if more bytes came, or fewer, than the responses that were counted and those that were cut off have
 */
export function checkVolume({ requests, bytes }: Load, responseBytes: number | undefined, shape: LoadShape): void {
  if (bytes === undefined || responseBytes === undefined) return
  const begun = shape.connections * (shape.depth ?? 1)
  const [least, most] = [requests * responseBytes, (requests + begun) * responseBytes]
  assert(bytes >= least && bytes <= most, `${requests} answers came in ${bytes} bytes, not in ${least}`)
}
