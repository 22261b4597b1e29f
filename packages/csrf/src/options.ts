import { flag, func, listOf, origin, type OptionKinds } from '@fw/options'
import type { Context } from '@fw/types'

/** The request field that caused the refusal. */
export interface CsrfRefusal {
  /** `sec-fetch-site`, or `origin` if the browser does not send `Sec-Fetch-Site`. */
  readonly field: 'sec-fetch-site' | 'origin'
  /** The value of the field. */
  readonly value: string
}

/** Options for `csrf()`. */
export interface CsrfOptions {
  /** Other origins whose pages can send requests that change something, such as `https://app.example.org`. Default `[]`. */
  readonly trustedOrigins?: readonly string[]
  /** Also checks requests for a connection upgrade, such as WebSocket handshakes. On by default. */
  readonly upgrades?: boolean
  /**
   * Responds to a refused request, as a handler does, with the status 403 already set. Default: a problem document.
   */
  readonly onRefused?: (ctx: Context, refusal: CsrfRefusal) => unknown
}

/** Kinds of all options. */
export const CSRF_KINDS: OptionKinds<CsrfOptions> = {
  trustedOrigins: listOf('a list of origins', origin),
  upgrades: flag,
  onRefused: func,
}
