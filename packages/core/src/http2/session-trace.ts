import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { Level, type Logger } from '@fw/log'

/**
 * Makes Trace records of what frames did to a session, as far as `node:http2` tells of them. Where that level is off when
 * the session begins, nobody listens.
 */
export function traceSession(logger: Logger | undefined, session: ServerHttp2Session): void {
  if (logger === undefined || !logger.isEnabled(Level.Trace)) return
  const told = logger.withPrefix('HTTP/2: ')
  session.on('remoteSettings', ({ initialWindowSize, maxConcurrentStreams, maxFrameSize }) =>
    told.trace(
      'SETTINGS, windows of {} bytes, {} streams, frames of {} bytes',
      initialWindowSize,
      maxConcurrentStreams,
      maxFrameSize,
    ),
  )
  session.on('localSettings', () => told.trace('SETTINGS acknowledged'))
  session.on('ping', () => told.trace('PING'))
  session.on('goaway', (code, lastStreamId) => told.trace('GOAWAY with code {}, last stream {}', code, lastStreamId))
  session.on('frameError', (type, code, id) =>
    told.trace('a frame of type {} for stream {} was not sent: {}', type, id, code),
  )
  session.on('stream', (stream: ServerHttp2Stream) => {
    const { id } = stream
    told.trace('stream {}: HEADERS', id)
    stream.once('close', () => told.trace('stream {}: closed with code {}', id, stream.rstCode))
  })
  session.on('close', () => told.trace('session closed'))
}
