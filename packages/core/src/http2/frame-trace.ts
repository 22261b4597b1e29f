import { Level, type Logger } from '@fw/log'
import { frameName } from './frame-rules.ts'

/** Is told of a frame that was received. */
export type FrameTrace = (type: number, streamId: number, length: number) => void

/** Makes a Trace record of each frame of a client; nothing, not even a function, where that level is off. */
export function frameTrace(logger: Logger | undefined): FrameTrace | undefined {
  if (logger === undefined || !logger.isEnabled(Level.Trace)) return undefined
  return (type, streamId, length) =>
    logger.trace('HTTP/2 stream {}: {} frame, {} bytes', streamId, frameName(type), length)
}
