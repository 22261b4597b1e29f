import { flag, func, optionError, type OptionKind, type OptionKinds, withFix } from '@fw/options'

/** Options of all authentication functions. */
export interface CommonOptions {
  /** Names the protected area in the challenge of a 401: visible ASCII characters without `"` and `\`. Default `api`. */
  readonly realm?: string
  /** Accepts requests without credentials, which then have no principal. Wrong credentials still get 401. Default false. */
  readonly optional?: boolean
}

/** RFC 9110 §5.6.4, without escapes. */
const realm: OptionKind = {
  expected: 'visible ASCII characters without " and \\',
  accepts: (value) => typeof value === 'string' && /^[ !#-[\]-~]+$/.test(value),
}

/** The kinds of the common options. */
export const COMMON_KINDS: OptionKinds<CommonOptions> = { realm, optional: flag }

const VERIFY_FIX = 'Write a function that returns a principal or null.'

/** The kind of the option `verify`. */
export const VERIFY: OptionKind = withFix(func, VERIFY_FIX)

/**
 * @throws {TypeError} if the option `verify` is absent, because all credentials would then be accepted or refused
 */
export function requireVerify(api: string, verify: unknown): void {
  if (verify !== undefined) return
  throw optionError({ api, name: 'verify', expected: func.expected, got: 'undefined', fix: VERIFY_FIX })
}
