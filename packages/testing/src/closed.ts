import type { Duplex } from 'node:stream'

/**
 * Resolves when a socket is closed: in order or by a reset, from now on or already.
 *
 * `once(socket, 'close')` fails with a reset, and waits for ever where the socket was closed before.
 */
export function closed(socket: Duplex): Promise<void> {
  if (socket.closed) return Promise.resolve()
  return new Promise((resolve) => socket.once('close', () => resolve()))
}
