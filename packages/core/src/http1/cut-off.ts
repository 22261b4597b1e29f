import type { Socket } from 'node:net'

/**
 * Ends a connection at once.
 *
 * @param isVisible Whether the peer can tell by a reset that this is not the end of what it was sent
 */
export function cutOff(socket: Socket, isVisible: boolean): void {
  // Everything was sent, and FIN is on its way: Node.js fails at a reset then (EINVAL), and never closes the socket.
  const isEnding = socket.writableEnded && socket.writableLength === 0
  if (isVisible && !isEnding) socket.resetAndDestroy()
  else socket.destroy()
}
