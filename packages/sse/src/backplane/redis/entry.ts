import type { BackplaneEvent, DeliveredEvent } from '../backplane.ts'

/** An event as it lies in a Redis stream. */
export interface RedisEntry {
  /** `<milliseconds>-<number>`, given by Redis. */
  readonly entryId: string
  /** The process that published it, and its number there: a repeated one is known by them. */
  readonly origin: string
  readonly number: number
  /** The entry before it, by which a hole is known; '' if Redis is to say, or did not. */
  readonly previous: string
  readonly body: string
}

/** Before every entry. */
export const FIRST_ENTRY = '0-0'

/** In place of an entry that is not known. */
export const NO_ENTRY = ''

/** @returns Below 0 if `a` comes before `b`, 0 if they are the same */
export function compareEntryIds(a: string, b: string): number {
  const [aMs = '', aSeq = ''] = a.split('-')
  const [bMs = '', bSeq = ''] = b.split('-')
  return Number(aMs) - Number(bMs) || Number(aSeq) - Number(bSeq)
}

/** When an entry was stored, in milliseconds since the Unix epoch by the clock of Redis. */
export function timeOf(entryId: string): number {
  return Number.parseInt(entryId, 10)
}

/** Names of processes and ids of entries hold no spaces, which separate them in the position of an event. */
const ORIGIN = /^[\w-]+$/
const PREVIOUS = /^(?:\d+-\d+)?$/

export function encodeBody({ event, data, id, key }: BackplaneEvent): string {
  return JSON.stringify({ event, data, id, key })
}

/** @returns `undefined` if the entry was written by something else */
export function decodeEntry({ entryId, origin, number, previous, body }: RedisEntry): DeliveredEvent | undefined {
  // A process puts lost entries back into Redis, whose script fails forever on a number that it cannot compare.
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

/** The entry that an event was delivered from. */
export function entryOf(event: DeliveredEvent): RedisEntry {
  const [entryId = '', origin = '', number = '', previous = NO_ENTRY] = event.position.split(' ')
  const id = event.id === entryId ? undefined : event.id
  return { entryId, origin, number: Number(number), previous, body: encodeBody({ ...event, id }) }
}

/** The entries in a reply of `XRANGE` or `XREVRANGE`; what was written by something else is left out. */
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

/** The entries in a reply of `XREAD` for one stream, in the second version of the protocol or the third. */
export function parseRead(reply: unknown): RedisEntry[] {
  if (Array.isArray(reply)) {
    const [first] = reply as readonly unknown[]
    // [[name, entries]] or, from a map that was made flat, [name, entries].
    return parseEntries(Array.isArray(first) ? first[1] : reply[1])
  }
  if (reply instanceof Map) return parseEntries([...reply.values()][0])
  return typeof reply === 'object' && reply !== null ? parseEntries(Object.values(reply)[0]) : []
}
