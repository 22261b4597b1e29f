import assert from 'node:assert/strict'
import { cut, Random, type FuzzTarget } from '@fw/testing/fuzz'
import { BEHAVIORS } from './http2/behaviors.ts'
import { ClientGrammar } from './http2/client-grammar.ts'
import { ask } from './http2/engine.ts'
import { fault } from './http2/judge.ts'
import { askNode } from './http2/reference.ts'
import { trailerNames } from './http2/trailer-names.ts'

const DEFAULT_WINDOW = 65_535

const target: FuzzTarget<readonly string[]> = {
  parser: 'HTTP/2 connections (RFC 9113), compared with nghttp2',
  generate: (random) => new ClientGrammar(random).frames().map((frame) => frame.toString('hex')),
  check,
  // Each input runs several connections, some of which receive long bodies byte by byte.
  maxCpuMs: 10_000,
}
export default target

/**
 * Checks one input.
 *
 * @param hexFrames Frames in hexadecimal, the first one with the preface
 */
async function check(hexFrames: readonly string[]): Promise<void> {
  const frames = hexFrames.map((frame) => Buffer.from(frame, 'hex'))
  const bytes = Buffer.concat(frames)
  const random = Random.of(hexFrames.join())

  const whole = await ask([bytes], { random })
  const inSlices = await ask(cut(bytes, random), { random })
  assert.deepEqual(inSlices.requests, whole.requests, 'The slices change the requests')
  assert.equal(inSlices.view.goawayCode, whole.view.goawayCode, 'The slices change the error')

  // Run handlers that misuse the API.
  const slices = random.chance(0.5) ? frames : cut(bytes, random)
  await ask(slices, { random, behaviors: BEHAVIORS, isSlow: random.chance(0.3) })

  // Skip the comparison: Node's server has different windows, which this client ignores.
  if (bytes.length > DEFAULT_WINDOW) return
  const found = fault(whole, await askNode(frames), trailerNames(bytes))
  if (found !== undefined) throw new Error(found)
}
