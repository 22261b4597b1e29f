import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { Level, type Logger } from '@fw/log'
import type { QuicheBinding, QuicheConfig } from './binding.ts'
import { QuicheListener } from './listener.ts'
import type { Quic, QuicCredentials, QuicListenOptions } from '../quic.ts'
import { MAX_PACKET_BYTES } from './send-room.ts'

/** Largest packet we take: what Ethernet carries over IPv4. On a larger path Chromium would otherwise send more. */
const MAX_RECEIVED_PACKET_BYTES = 1472
/**
 * Bytes of one upload that may be on the way or unread, at first and once the path has shown to be fast. Times the
 * streams at once, this is what one client can make us hold.
 */
const STREAM_WINDOW = 64 * 1024
const MAX_STREAM_WINDOW = 1024 * 1024
/**
 * The same for a whole connection: never reached. With less, quiche 0.18 lets an upload that nobody reads hold up all
 * other requests, because it gives no new window before the old one is read, and it loses the window of uploads that
 * the client gave up.
 */
const CONNECTION_WINDOW = 2 ** 50
/** Control and QPACK streams are short. */
const UNIDIRECTIONAL_WINDOW = 64 * 1024
/** Three that HTTP/3 uses, and some of kinds that are to be ignored. */
const MAX_UNIDIRECTIONAL_STREAMS = 8
/** Asked of the system, which may give less: packets of a burst wait here for their turn. */
const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024

/** QUIC by the native quiche of `@matrixai/quic`. */
export function quicheQuic(quiche: QuicheBinding): Quic {
  return {
    async listen(options, accept) {
      const configure = (credentials: QuicCredentials): QuicheConfig =>
        makeConfig(quiche, { ...options, ...credentials })
      const config = configure(options)
      const socket = await bind(options)
      if (options.logger?.isEnabled(Level.Debug) === true) await describeSocket(options.logger, socket)
      return new QuicheListener(socket, { quiche, config, configure, options, accept })
    },
  }
}

function makeConfig(quiche: QuicheBinding, options: QuicListenOptions): QuicheConfig {
  const config = quiche.Config.withBoringSslCtx(
    false,
    false,
    null,
    [Buffer.from(options.key)],
    [Buffer.from(options.cert)],
    null,
  )
  config.setApplicationProtos([options.protocol])
  config.setMaxIdleTimeout(options.idleTimeoutMs)
  config.setMaxRecvUdpPayloadSize(MAX_RECEIVED_PACKET_BYTES)
  config.setMaxSendUdpPayloadSize(MAX_PACKET_BYTES)
  config.setInitialMaxData(CONNECTION_WINDOW)
  config.setInitialMaxStreamDataBidiLocal(STREAM_WINDOW)
  config.setInitialMaxStreamDataBidiRemote(STREAM_WINDOW)
  config.setMaxStreamWindow(MAX_STREAM_WINDOW)
  config.setInitialMaxStreamDataUni(UNIDIRECTIONAL_WINDOW)
  config.setInitialMaxStreamsBidi(options.maxConcurrentStreams)
  config.setInitialMaxStreamsUni(MAX_UNIDIRECTIONAL_STREAMS)
  // A client that moves on purpose needs a second connection ID first, and has none: see `PeerAddress`.
  config.setDisableActiveMigration(true)
  // Packets are sent as soon as they may be; nobody here would wait for the time that pacing gives them.
  config.enablePacing(false)
  config.grease(true)
  return config
}

/** @throws {Error} the system's, such as EADDRINUSE */
async function bind({ host, port, reusePort, fd }: QuicListenOptions): Promise<Socket> {
  const isV6 = isIPv6(host)
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    reusePort,
    recvBufferSize: SOCKET_BUFFER_BYTES,
    sendBufferSize: SOCKET_BUFFER_BYTES,
    // Peers are known by address; a look-up for each packet would only cost time.
    lookup: (address, _options, callback) => callback(null, address, isV6 ? 6 : 4),
  })
  // Before `bind`, which is done at once where nothing is looked up.
  const listening = once(socket, 'listening')
  try {
    // Exclusive: a worker process must not be handed the primary's socket, each needs its own.
    socket.bind(fd === undefined ? { port, address: host, exclusive: true } : { fd, exclusive: true })
    await listening
    return socket
  } catch (error) {
    socket.close()
    throw error
  }
}

/** Tells at Debug which QUIC runs on a socket, and what the system made of the options that were asked for. */
async function describeSocket(logger: Logger, socket: Socket): Promise<void> {
  const { address, port } = socket.address()
  logger.debug(
    'QUIC by @matrixai/quic {} (quiche) on UDP {} port {}: buffers of {} bytes to receive, {} to send',
    await bindingVersion(),
    address,
    port,
    socket.getRecvBufferSize(),
    socket.getSendBufferSize(),
  )
}

async function bindingVersion(): Promise<string> {
  try {
    const { default: manifest } = (await import('@matrixai/quic/package.json', { with: { type: 'json' } })) as {
      default: { version: string }
    }
    return manifest.version
  } catch {
    // A bundle has the code and not the manifest.
    return '(unknown version)'
  }
}
