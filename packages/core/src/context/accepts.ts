import { showValue, withCode } from '@fw/options'
import type { RequestHeaders } from '@fw/types'
import { loadNegotiator } from '../response/lazy-libraries.cjs'
import { negotiatedField } from '../response/negotiated-field.ts'

/** Request fields that contain the client's preferences. */
const FIELDS = { type: 'accept', language: 'accept-language', encoding: 'accept-encoding' } as const

/**
 * Returns the offer that the client prefers, the first on a tie, or `null` if it accepts none.
 *
 * @throws {TypeError} if an offer is not a media type, such as `html` instead of `text/html`
 * @see RFC 9110 §12.5
 */
export function preferred(
  what: keyof typeof FIELDS,
  offers: readonly string[],
  headers: RequestHeaders,
): string | null {
  if (what === 'type') for (const offer of offers) checkMediaType(offer)
  const field = FIELDS[what]
  const Negotiator = loadNegotiator()
  const negotiator = new Negotiator({ headers: { [field]: negotiatedField(headers.get(field)) } })
  // negotiator's types do not accept a readonly array.
  const available = [...offers]
  if (what === 'type') return negotiator.mediaType(available) ?? null
  return (what === 'language' ? negotiator.language(available) : negotiator.encoding(available)) ?? null
}

function checkMediaType(offer: string): void {
  if (typeof offer === 'string' && offer.includes('/')) return
  throw withCode(
    'FW_INVALID_ARGUMENT',
    new TypeError(`ctx.accepts: type must be a media type such as 'text/html', got ${showValue(offer)}.`),
  )
}
