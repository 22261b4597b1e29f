import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { type FuzzTarget, Random } from '@fw/testing/fuzz'
import { GatedDuplex } from '../src/connection/gated-duplex.ts'
import { closeCodeOf, createLibrarySocket } from '../src/connection/ws-bridge.ts'
import { encodeFrame } from '../test/frames.ts'

const SETTINGS = { maxMessageBytes: 1000, maxFragments: 20, closeTimeoutMs: 1000 }
/** Event-loop turns without an event after which all bytes have been processed. */
const QUIET_TURNS = 3
const OPCODES = [0, 0, 0, 1, 1, 1, 2, 8, 9, 9, 10, 3, 11]
const LENGTHS = [0, 0, 1, 2, 5, 125, 126, 127, 300, 1000, 1001]

/**
 * Compares the events of the `ws` library behind the gate with those without it. The gate may delay messages, but must
 * neither change nor lose an event, however the bytes are split.
 */
const target: FuzzTarget<string> = {
  parser: 'WebSocket frames (RFC 6455 §5.2)',
  generate: frames,
  async check(input) {
    const bytes = Buffer.from(input, 'latin1')
    const random = Random.of(input)
    const [direct, gated] = await Promise.all([receive([bytes], false), receive(slicesOf(bytes, random), true)])
    assert.deepEqual(gated, direct)
  },
}
export default target

function frames(random: Random): string {
  const all = random.list(0.85, () => {
    const payload = Buffer.alloc(random.pick(LENGTHS), random.pick(['a', '\xe4', '\x03\xe8']), 'latin1')
    const rsv = random.chance(0.03) ? random.below(8) : 0
    const opcode = random.pick(OPCODES)
    return encodeFrame({ opcode, payload, fin: random.chance(0.7), rsv }, !random.chance(0.03))
  })
  const bytes = Buffer.concat(all)
  if (bytes.length > 0 && random.chance(0.2)) bytes[random.below(bytes.length)] = random.below(256)
  return bytes.toString('latin1', 0, random.chance(0.2) ? random.below(bytes.length + 1) : bytes.length)
}

function slicesOf(bytes: Buffer, random: Random): Buffer[] {
  const slices: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + 1 + random.below(random.pick([3, 20, 400])))
    slices.push(bytes.subarray(at, end))
    at = end
  }
  return slices
}

const LISTENER = { onReceived() {}, onFrame: () => true, onEndWhileHeld() {}, onRoom() {} }

/** Passes bytes to the library. Returns its events, and the frames that it sends. */
async function receive(slices: readonly Buffer[], isGated: boolean): Promise<unknown[]> {
  const events: unknown[] = []
  const sent: Buffer[] = []
  const inner = new Duplex({
    allowHalfOpen: true,
    read() {},
    write(chunk: Buffer, _encoding, done) {
      sent.push(Buffer.from(chunk))
      done()
    },
  })
  let isHeld = false
  const gate = isGated ? new GatedDuplex(inner, LISTENER) : undefined
  const { socket, start } = createLibrarySocket(SETTINGS, undefined)
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    events.push(['message', data.toString('latin1'), isBinary])
    if (gate === undefined) return
    assert.equal(isHeld, false, 'A message has passed before release()')
    isHeld = true
    void setImmediate().then(() => {
      isHeld = false
      gate.release()
    })
  })
  socket.on('ping', (data: Buffer) => events.push(['ping', data.toString('latin1')]))
  socket.on('pong', (data: Buffer) => events.push(['pong', data.toString('latin1')]))
  socket.on('error', (error: Error) => {
    events.push(['error', closeCodeOf(error)])
    gate?.discard()
  })
  socket.on('close', (code: number) => {
    events.push(['close', code])
    resolve()
  })
  start(gate ?? inner)
  gate?.release()
  for (const slice of slices) {
    inner.push(Buffer.from(slice))
    await setImmediate()
  }
  // The client ends its direction when the server has processed everything.
  for (let quiet = 0, seen = 0; quiet < QUIET_TURNS; quiet++) {
    await setImmediate()
    if (isHeld || events.length > seen) quiet = 0
    seen = events.length
  }
  inner.push(null)
  await closed
  return [...events, Buffer.concat(sent).toString('latin1')]
}
