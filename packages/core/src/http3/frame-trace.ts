import { Level, type Logger } from '@fw/log'
import { FrameType } from './frames.ts'

/** Is told of a frame that begins. */
export type FrameTrace = (type: number, length: number) => void

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(FrameType).map(([name, type]) => [type, name]))

/** Makes a Trace record of each frame of a request; nothing, not even a function, where that level is off. */
export function frameTrace(logger: Logger | undefined, streamId: number): FrameTrace | undefined {
  if (logger === undefined || !logger.isEnabled(Level.Trace)) return undefined
  return (type, length) =>
    logger.trace(
      'HTTP/3 stream {}: {} frame, {} bytes',
      streamId,
      NAMES.get(type) ?? `type 0x${type.toString(16)}`,
      length,
    )
}
