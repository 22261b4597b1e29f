import { ConnectionError, ErrorCode } from '../errors.ts'
import { Flag, FrameType } from './frame-types.ts'
import { Level, type Logger } from '@fw/log'

/** Where a frame belongs, and how long its payload may be. */
interface FrameRule {
  readonly name: string
  /** Whether it is about a stream, about the connection, or either. */
  readonly scope: 'stream' | 'connection' | 'any'
  readonly minBytes: number
  readonly maxBytes: number
}

/** By the number of the type, without those that nobody has given out. */
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
 * Checks what can be known of a frame by itself. Frames of unknown types pass.
 *
 * @throws {ConnectionError} for a frame in the wrong place, of a wrong length, or that no client may send. Where RFC 9113
 *   asks for an error of the stream, the connection ends too (§5.4.1 allows it): such a client is broken, and streams that
 *   are reset for it could be abused (CVE-2025-8671)
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
    throw new ConnectionError(ErrorCode.FRAME_SIZE_ERROR, 'An acknowledgement of SETTINGS with content')
  }
  // RFC 9113 §8.4: clients do not push.
  if (type === FrameType.PUSH_PROMISE) throw new ConnectionError(ErrorCode.PROTOCOL_ERROR, 'PUSH_PROMISE of a client')
}

/** The name of a type in the words of RFC 9113. */
function frameName(type: number): string {
  return RULES[type]?.name ?? `type 0x${type.toString(16)}`
}

/** Is told of a frame that was received. */
export type FrameTrace = (type: number, streamId: number, length: number) => void

/** Makes a Trace record of each frame of a client; nothing, not even a function, where that level is off. */
export function frameTrace(logger: Logger | undefined): FrameTrace | undefined {
  if (logger === undefined || !logger.isEnabled(Level.Trace)) return undefined
  return (type, streamId, length) =>
    logger.trace('HTTP/2 stream {}: {} frame, {} bytes', streamId, frameName(type), length)
}
