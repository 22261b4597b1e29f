import assert from 'node:assert/strict'
import { cut, Random, type FuzzTarget } from '@fw/testing/fuzz'
import { fault } from './http1/judge.ts'
import { makeRequests } from './http1/requests.ts'
import { ask, askKept, askNode } from './http1/servers.ts'

const target: FuzzTarget<string> = {
  parser: 'HTTP/1.1 connections (RFC 9112), compared with llhttp',
  generate: makeRequests,
  check,
  // Each input runs several connections, some of which receive long bodies byte by byte.
  maxCpuMs: 10_000,
}
export default target

/**
 * Checks one input.
 *
 * @param wire Received bytes, one character per byte
 */
async function check(wire: string): Promise<void> {
  const whole = await ask([Buffer.from(wire, 'latin1')])
  const slices = cut(Buffer.from(wire, 'latin1'), Random.of(wire))
  for (const askInSlices of [ask, askKept]) {
    // Copy the bytes: the engine moves body bytes within the received memory.
    const inSlices = await askInSlices(slices.map((slice) => Buffer.from(slice)))
    assert.deepEqual(inSlices.requests, whole.requests, `${askInSlices.name}: the slices change the requests`)
    // The reason for a refusal can depend on the bytes that have arrived, but the refusal itself must not.
    assert.equal(!inSlices.refusal, !whole.refusal, `${askInSlices.name}: the slices change the refusal`)
  }
  if (fault(whole, await askNode([Buffer.from(wire, 'latin1')]), wire) === undefined) return
  // Node's server loses a valid request if an error follows in the same slice, so send it one byte at a time.
  const bytes = Array.from(wire, (byte) => Buffer.from(byte, 'latin1'))
  const found = fault(whole, await askNode(bytes), wire)
  if (found !== undefined) throw new Error(found)
}
