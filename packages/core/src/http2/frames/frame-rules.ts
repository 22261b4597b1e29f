import { ConnectionError, ErrorCode } from '../errors.ts'
import { Flag, FrameType } from './frame-types.ts'
import { Level, type Logger } from '@fw/log'

/** Rules for a frame type: its streams and the length of its payload, in bytes. */
interface FrameRule {
  readonly name: string
  /** Whether the frame applies to a stream, to the connection (stream 0), or to either. */
  readonly scope: 'stream' | 'connection' | 'any'
  readonly minBytes: number
  readonly maxBytes: number
}

/** Rules by frame type; `undefined` for an unassigned type. */
const RULES: readonly (FrameRule | undefined)[] = [
  { name: 'DATA', scope: 'stream', minBytes: 0, maxBytes: Infinity },
  { name: 'HEADERS', scope: 'stream', minBytes: 0, maxBytes: Infinity },
  { name: 'PRIORITY', scope: 'stream', minBytes: 5, maxBytes: 5 },
  { name: 'RST_STREAM', scope: 'stream', minBytes: 4, maxBytes: 4 },
  { name: 'SETTINGS', scope: 'connection', minBytes: 0, maxBytes: Infinity },
  { name: 'PUSH_PROMISE', scope: 'stream', minBytes: 0, maxBytes: Infinity },
  { name: 'PING', scope: 'connection', minBytes: 8, maxBytes: 8 },
  { name: 'GOAWAY', scope: 'connection', minBytes: 8, maxBytes: Infinity },
  { name: 'WINDOW_UPDATE', scope: 'any', minBytes: 4, maxBytes: 4 },
  { name: 'CONTINUATION', scope: 'stream', minBytes: 0, maxBytes: Infinity },
  ...Array.from<undefined>({ length: FrameType.PRIORITY_UPDATE - FrameType.CONTINUATION - 1 }),
  { name: 'PRIORITY_UPDATE', scope: 'connection', minBytes: 4, maxBytes: Infinity },
]

/**
 * Checks the stream and the length of a frame, independent of other frames. Accepts unknown types.
 *
 * @throws {ConnectionError} if the stream or the length is wrong, or if a client must not send the type. Stream errors
 * also end the connection, as RFC 9113 §5.4.1 allows, because clients could abuse resets (CVE-2025-8671)
 * @see RFC 9113 §6, RFC 9218 §7.1
 */
export function checkFrame(type: number, flags: number, streamId: number, length: number): void {
  const rule = RULES[type]
  if (rule === undefined) return
  const isOnStream = streamId !== 0
  if ((rule.scope === 'stream' && !isOnStream) || (rule.scope === 'connection' && isOnStream)) {
    throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, `${rule.name} on stream ${streamId}`)
  }
  if (length < rule.minBytes || length > rule.maxBytes) {
    throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, `${rule.name} of ${length} bytes`)
  }
  if (type === FrameType.SETTINGS && (flags & Flag.ACK) !== 0 && length > 0) {
    throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, 'A SETTINGS acknowledgement must be empty')
  }
  // RFC 9113 §8.4: only a server can push.
  if (type === FrameType.PUSH_PROMISE)
    throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'A client must not send PUSH_PROMISE')
}

/** Returns the RFC 9113 name of a frame type, or its number. */
function frameName(type: number): string {
  return RULES[type]?.name ?? `type 0x${type.toString(16)}`
}

/** Logs a received frame. */
export type FrameTrace = (type: number, streamId: number, length: number) => void

/** Returns a function that logs each frame at level Trace; `undefined` if the level is off, so that it costs nothing. */
export function frameTrace(logger: Logger | undefined): FrameTrace | undefined {
  if (logger === undefined || !logger.isEnabled(Level.Trace)) return undefined
  return (type, streamId, length) =>
    logger.trace('HTTP/2 stream {}: {} frame, {} bytes', streamId, frameName(type), length)
}
