import type { QuicheConnection } from './binding.ts'

/** Why a connection is over, for people. */
export function closeReason(quiche: Pick<QuicheConnection, 'isTimedOut' | 'peerError' | 'localError'>): string {
  if (quiche.isTimedOut()) return 'nothing was heard from the peer'
  const byPeer = quiche.peerError()
  if (byPeer !== null) return `closed by the peer with code 0x${byPeer.errorCode.toString(16)}`
  const byUs = quiche.localError()
  return byUs === null ? 'closed' : `closed with code 0x${byUs.errorCode.toString(16)}`
}

/** For streams that were over anyway. */
const NO_CODE = 0

/** The code that the peer gave; quiche names its errors in their text: `StreamReset(268)`. */
export function codeOf(name: 'StreamReset' | 'StreamStopped', error: unknown): number {
  const match = error instanceof Error ? /^(\w+)\((\d+)\)/.exec(error.message) : null
  return match?.[1] === name ? Number(match[2]) : NO_CODE
}
