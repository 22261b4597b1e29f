import { performServerHandshake, type ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { Flag, FrameType } from '../../test/http2/frames.ts'
import type { Field } from '../../test/http2/hpack.ts'
import { FrameStream, PREFACE_BYTES } from './frame-stream.ts'
import { understood, type Understood } from './understood.ts'
import { Wire } from './wire.ts'

/** Result from Node's server, which uses nghttp2, for some input. */
export interface ReferenceVerdict {
  /** Complete requests by stream ID. */
  readonly requests: ReadonlyMap<number, Understood>
  /** RST_STREAM codes by stream ID. */
  readonly resets: ReadonlyMap<number, number>
  /** The connection error's code. */
  readonly connectionError: number | undefined
}

/** Runs Node's server frame by frame, because it loses requests that arrive together with an error. */
export async function askNode(frames: readonly Buffer[]): Promise<ReferenceVerdict> {
  const requests = new Map<number, Understood>()
  const wire = new Wire(false)
  const session = performServerHandshake(wire as unknown as Socket, {
    // Use the engine's limits, so that sizes cause no differences.
    maxHeaderListPairs: 1000,
    settings: { enableConnectProtocol: true },
  })
  wire.on('error', ignore)
  session.on('error', ignore)
  session.on('stream', (stream: ServerHttp2Stream, _headers: unknown, _flags: number, raw: string[]) => {
    let body = ''
    let trailers: Field[] = []
    stream.on('trailers', (_fields: unknown, _f: number, rawTrailers: string[]) => (trailers = pairs(rawTrailers)))
    stream.setEncoding('latin1').on('data', (text: string) => (body += text))
    stream.on('error', ignore)
    stream.on('end', () => {
      if (stream.id !== undefined && !stream.aborted && stream.rstCode === 0)
        requests.set(stream.id, understood(pairs(raw), body, trailers))
      if (!stream.headersSent && !stream.closed) stream.respond({ ':status': 200 }, { endStream: true })
    })
  })
  for (const each of frames) {
    if (wire.destroyed) break
    wire.push(each)
    for (let turn = 0; turn < 3; turn++) await setImmediate()
  }
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  // Node.js treats a request that is reset with NO_ERROR as complete.
  const ended = endedStreams(frames)
  for (const id of requests.keys()) if (!ended.has(id)) requests.delete(id)
  const verdict = { requests, ...failures(wire.takeWritten()) }
  session.destroy()
  wire.destroy()
  return verdict
}

function failures(sent: Buffer): Pick<ReferenceVerdict, 'resets' | 'connectionError'> {
  const resets = new Map<number, number>()
  let connectionError: number | undefined
  for (const { type, streamId, payload } of new FrameStream().take(sent)) {
    if (type === FrameType.RST_STREAM) resets.set(streamId, payload.readUInt32BE(0))
    if (type === FrameType.GOAWAY && payload.readUInt32BE(4) !== 0) connectionError = payload.readUInt32BE(4)
  }
  return { resets, connectionError }
}

/** Returns the streams that the client ended with END_STREAM. */
function endedStreams(frames: readonly Buffer[]): Set<number> {
  const ended = new Set<number>()
  for (const { type, flags, streamId } of new FrameStream().take(Buffer.concat(frames).subarray(PREFACE_BYTES))) {
    if (type <= FrameType.HEADERS && (flags & Flag.END_STREAM) !== 0) ended.add(streamId)
  }
  return ended
}

function pairs(raw: readonly string[]): Field[] {
  return raw.flatMap((name, i): Field[] => (i % 2 === 0 ? [[name, raw[i + 1] ?? '']] : []))
}

function ignore(): void {}
