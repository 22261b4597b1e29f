import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { Level, type Logger } from '@fw/log'
import type { QuicheBinding, QuicheConfig } from './binding.ts'
import { QuicheListener } from './listener.ts'
import type { Quic, QuicCredentials, QuicListenOptions } from '../quic.ts'
import { MAX_PACKET_BYTES } from './send-room.ts'

/**
 * Largest UDP payload, in bytes, that the server accepts. It is the largest that fits into an Ethernet frame over IPv4.
 * Without the limit, Chromium sends larger packets on paths that allow them.
 */
const MAX_RECEIVED_PACKET_BYTES = 1472
/**
 * Initial flow-control window of a stream in bytes. It can grow to `MAX_STREAM_WINDOW` on a fast path. Multiplied by
 * the number of concurrent streams, the window limits the memory that one client can occupy.
 */
const STREAM_WINDOW = 64 * 1024
const MAX_STREAM_WINDOW = 1024 * 1024
/**
 * A connection's flow-control window in bytes, which is too large to be reached. quiche 0.18 extends the window only
 * after reads, so with a smaller window an unread upload would block all other requests. quiche also does not restore
 * the window after an aborted upload.
 */
const CONNECTION_WINDOW = 2 ** 50
/** Window of control and QPACK streams in bytes. */
const UNIDIRECTIONAL_WINDOW = 64 * 1024
/**
 * Maximum number of unidirectional streams: enough for the three that HTTP/3 uses, and for some of unknown types,
 * which must be ignored.
 */
const MAX_UNIDIRECTIONAL_STREAMS = 8
/** Requested socket buffer size in bytes, for bursts of packets. The kernel can grant less. */
const SOCKET_BUFFER_BYTES = 4 * 1024 * 1024

/** Returns the QUIC implementation from `@matrixai/quic`, which uses quiche. */
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
  // Active migration needs a second connection ID, which the client does not have (see `PeerAddress`).
  config.setDisableActiveMigration(true)
  // Packets are sent immediately, because this package does not implement the send times that quiche's pacing computes.
  config.enablePacing(false)
  config.grease(true)
  return config
}

/**
 * Binds a UDP socket.
 *
 * @throws {Error} system error, such as EADDRINUSE
 */
async function bind({ host, port, reusePort, fd }: QuicListenOptions): Promise<Socket> {
  const isV6 = isIPv6(host)
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    reusePort,
    recvBufferSize: SOCKET_BUFFER_BYTES,
    sendBufferSize: SOCKET_BUFFER_BYTES,
    // Peers are IP addresses. Skip the DNS lookup that Node.js would run for each packet.
    lookup: (address, _options, callback) => callback(null, address, isV6 ? 6 : 4),
  })
  // Listen before `bind`, which completes synchronously without a lookup.
  const listening = once(socket, 'listening')
  try {
    // Each worker process needs its own socket instead of the primary's.
    socket.bind(fd === undefined ? { port, address: host, exclusive: true } : { fd, exclusive: true })
    await listening
    return socket
  } catch (error) {
    socket.close()
    throw error
  }
}

/** Logs the QUIC version and the granted socket buffers at Debug. */
async function describeSocket(logger: Logger, socket: Socket): Promise<void> {
  const { address, port } = socket.address()
  logger.debug(
    'QUIC of @matrixai/quic {} (quiche) on UDP {} port {}: receive buffer {} bytes, send buffer {} bytes',
    await bindingVersion(),
    address,
    port,
    socket.getRecvBufferSize(),
    socket.getSendBufferSize(),
  )
}

async function bindingVersion(): Promise<string> {
  // Not a literal, so that bundlers do not search for the optional package.
  const specifier = ['@matrixai/quic', 'package.json'].join('/')
  try {
    const { default: manifest } = (await import(/* webpackIgnore: true */ specifier, { with: { type: 'json' } })) as {
      default: { version: string }
    }
    return manifest.version
  } catch {
    // The version is only for the log, so ignore a failure.
    return '(unknown version)'
  }
}
