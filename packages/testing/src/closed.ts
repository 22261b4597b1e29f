import type { Duplex } from 'node:stream'

/**
 * Resolves when the socket closes, or immediately if it has closed already. A reset counts as a close.
 *
 * `once(socket, 'close')` rejects on a reset and never settles if the socket has closed already.
 */
export function closed(socket: Duplex): Promise<void> {
  if (socket.closed) return Promise.resolve()
  return new Promise((resolve) => socket.once('close', () => resolve()))
}
