import { createRequire } from 'node:module'
import type NegotiatorConstructor from 'negotiator'
import { showValue } from '@fw/options'
import type { RequestHeaders } from '@fw/types'
import { negotiatedField } from '../response/negotiated-field.ts'

/** What can be negotiated, by the field that tells what the client likes. */
const FIELDS = { type: 'accept', language: 'accept-language', encoding: 'accept-encoding' } as const

let Negotiator: typeof NegotiatorConstructor | undefined

/**
 * The one of several forms of a response that the client likes best; the first of equals, `null` if it takes none.
 *
 * @throws {TypeError} if an offer is not a media type; no client accepts `html`
 * @see RFC 9110 §12.5
 */
export function preferred(
  what: keyof typeof FIELDS,
  offers: readonly string[],
  headers: RequestHeaders,
): string | null {
  if (what === 'type') for (const offer of offers) checkMediaType(offer)
  const field = FIELDS[what]
  // Loaded when a request is first negotiated about, as most applications never do.
  Negotiator ??= createRequire(import.meta.url)('negotiator') as typeof NegotiatorConstructor
  const negotiator = new Negotiator({ headers: { [field]: negotiatedField(headers.get(field)) } })
  // A copy: negotiator takes an array of its own.
  const available = [...offers]
  if (what === 'type') return negotiator.mediaType(available) ?? null
  return (what === 'language' ? negotiator.language(available) : negotiator.encoding(available)) ?? null
}

function checkMediaType(offer: string): void {
  if (typeof offer === 'string' && offer.includes('/')) return
  throw new TypeError(`ctx.accepts: type must be a media type such as 'text/html', got ${showValue(offer)}.`)
}
