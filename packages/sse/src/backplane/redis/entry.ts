import type { BackplaneEvent, DeliveredEvent } from '../backplane.ts'

/** An event in a Redis stream. */
export interface RedisEntry {
  /** `<milliseconds>-<number>`, assigned by Redis. */
  readonly entryId: string
  /** The publishing process. Together with the number, it identifies repeated events. */
  readonly origin: string
  readonly number: number
  /** ID of the previous entry, which reveals a gap; '' if unknown or assigned by Redis. */
  readonly previous: string
  readonly body: string
}

/** An ID that is lower than every entry ID. */
export const FIRST_ENTRY = '0-0'

/** The ID of an unknown entry. */
export const NO_ENTRY = ''

/** Compares two ids. Returns a negative number if `a` comes before `b`, and 0 if they are equal. */
export function compareEntryIds(a: string, b: string): number {
  const [aMs = '', aSeq = ''] = a.split('-')
  const [bMs = '', bSeq = ''] = b.split('-')
  return Number(aMs) - Number(bMs) || Number(aSeq) - Number(bSeq)
}

/** Returns the time at which Redis stored an entry, in milliseconds since the Unix epoch. */
export function timeOf(entryId: string): number {
  return Number.parseInt(entryId, 10)
}

/** Process names and entry IDs contain no spaces, so a space separates them in an event's position. */
const ORIGIN = /^[\w-]+$/
const PREVIOUS = /^(?:\d+-\d+)?$/

export function encodeBody({ event, data, id, key }: BackplaneEvent): string {
  return JSON.stringify({ event, data, id, key })
}

/** Returns the event in an entry; `undefined` if another program wrote the entry. */
export function decodeEntry({ entryId, origin, number, previous, body }: RedisEntry): DeliveredEvent | undefined {
  // A process restores lost entries to Redis. The Redis script would always fail on a number that it cannot compare.
  if (!ORIGIN.test(origin) || !PREVIOUS.test(previous) || !Number.isSafeInteger(number) || number < 1) return undefined
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const { event, data, id = entryId, key } = value as Record<string, unknown>
  if (typeof event !== 'string' || typeof data !== 'string' || typeof id !== 'string') return undefined
  if (key !== undefined && typeof key !== 'string') return undefined
  return { event, data, id, key, position: `${entryId} ${origin} ${number} ${previous}` }
}

/** Returns the entry for a delivered event. */
export function entryOf(event: DeliveredEvent): RedisEntry {
  const [entryId = '', origin = '', number = '', previous = NO_ENTRY] = event.position.split(' ')
  const id = event.id === entryId ? undefined : event.id
  return { entryId, origin, number: Number(number), previous, body: encodeBody({ ...event, id }) }
}

/** Returns the entries in an `XRANGE` or `XREVRANGE` reply. Omits malformed items. */
export function parseEntries(reply: unknown): RedisEntry[] {
  if (!Array.isArray(reply)) return []
  return reply.flatMap((item: unknown) => {
    if (!Array.isArray(item) || !Array.isArray(item[1])) return []
    const fields = item[1].map(String)
    const valueOf = (name: string): string => {
      const at = fields.findIndex((field, index) => index % 2 === 0 && field === name)
      return at === -1 ? '' : (fields[at + 1] ?? '')
    }
    const [origin, number, previous, body] = ['o', 's', 'p', 'm'].map(valueOf) as [string, string, string, string]
    return [{ entryId: String(item[0]), origin, number: Number(number), previous, body }]
  })
}

/** Returns the entries in an `XREAD` reply for one stream, in RESP2 or RESP3. */
export function parseRead(reply: unknown): RedisEntry[] {
  if (Array.isArray(reply)) {
    const [first] = reply as readonly unknown[]
    // The reply is [[name, entries]] or, for a flattened map, [name, entries].
    return parseEntries(Array.isArray(first) ? first[1] : reply[1])
  }
  if (reply instanceof Map) return parseEntries([...reply.values()][0])
  return typeof reply === 'object' && reply !== null ? parseEntries(Object.values(reply)[0]) : []
}
