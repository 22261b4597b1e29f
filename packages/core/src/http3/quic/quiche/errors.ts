import type { QuicheConnection } from './binding.ts'

/** Describes why a connection has closed, for messages. */
export function closeReason(quiche: Pick<QuicheConnection, 'isTimedOut' | 'peerError' | 'localError'>): string {
  if (quiche.isTimedOut()) return 'idle timeout'
  const byPeer = quiche.peerError()
  if (byPeer !== null) return `closed by the peer with code 0x${byPeer.errorCode.toString(16)}`
  const byUs = quiche.localError()
  return byUs === null ? 'closed' : `closed with code 0x${byUs.errorCode.toString(16)}`
}

/** Code reported for streams that had already ended. */
const NO_CODE = 0

/** Returns the peer's application error code. quiche includes it in the error message: `StreamReset(268)`. */
export function codeOf(name: 'StreamReset' | 'StreamStopped', error: unknown): number {
  const match = error instanceof Error ? /^(\w+)\((\d+)\)/.exec(error.message) : null
  return match?.[1] === name ? Number(match[2]) : NO_CODE
}
