import type { ClientRequest } from '@fw/testing/clients'
import type { ProtocolName, TrafficLevel } from '../live/messages.ts'

/** Requests per second. */
export const RATES: Readonly<Record<TrafficLevel, number>> = { off: 0, gentle: 46, busy: 410 }

/** Share of the requests over each protocol. */
export const SHARES: readonly (readonly [ProtocolName, number])[] = [
  ['h1', 0.16],
  ['h2', 0.5],
  ['h3', 0.34],
]

const NAMES = ['Ada', 'Grace', 'Linus', 'Radia', 'Vint', 'Margaret', 'Tim', 'Barbara']
const FILES = ['/', '/live.js', '/live.css', '/fonts/geist.woff2', '/icon.svg']
/** Paths that scanners request from every server. None of them exists. */
const MISSING = ['/wp-login.php', '/admin.php', '/.env']
const HIGHEST_ORDER = 9200

/** Returns the next request in the demo traffic, at random. About one in 30 fails. */
export function drawRequest(random: () => number): ClientRequest {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const kind = random()
  if (kind < 0.36) return { path: pick(FILES) }
  if (kind < 0.66) return { path: `/api/hello/${pick(NAMES)}` }
  if (kind < 0.86) return { path: `/api/orders/${1000 + Math.floor(random() * HIGHEST_ORDER)}` }
  if (kind < 0.98) return { method: 'POST', path: '/api/echo', body: `Hello from ${pick(NAMES)}` }
  return { path: pick(MISSING) }
}
