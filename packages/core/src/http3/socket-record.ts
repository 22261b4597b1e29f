import type { Socket } from 'node:dgram'
import type { Logger } from '@fw/log'

/** Tells at Debug which QUIC runs on a socket, and what the system made of the options that were asked for. */
export async function describeSocket(logger: Logger, socket: Socket): Promise<void> {
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
