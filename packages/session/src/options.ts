import { flag, integer, objectWith, optionError, type OptionKind, type OptionKinds } from '@fw/options'
import type { Lifetime } from './lifetime.ts'
import type { SessionStore } from './session-store.ts'
import { HOST_PREFIX } from './session-cookie.ts'

/** Options of all sessions. */
export interface SessionCookieOptions {
  /**
   * The name of the cookie, which must begin with `__Host-`. Cleartext requests to localhost use it without the prefix.
   * Default `'__Host-session'`.
   */
  readonly name?: string
  /**
   * Time without a request after which a session expires, in milliseconds. A request extends the session only after a tenth of
   * this time has passed. Default 1,800,000 (30 minutes); at most 400 days.
   */
  readonly idleTimeoutMs?: number
  /**
   * Time since the beginning of a session after which it expires, in milliseconds. Default 43,200,000 (12 hours); at most
   * 400 days.
   */
  readonly absoluteTimeoutMs?: number
  /** Keeps the cookie when the browser closes, until the session expires. Default false. */
  readonly persistent?: boolean
}

/** Options of `sealedSession()`. */
export interface SealedSessionOptions extends SessionCookieOptions {
  /**
   * Secrets of at least 32 random bytes. The first secret encrypts and any of them decrypts, so you can rotate secrets.
   */
  readonly secrets: readonly (string | Uint8Array)[]
  /**
   * Maximum size of the cookie's name and value together, in bytes. Above it, `update()` throws. Browsers accept 4,096. Default
   * 4,096.
   */
  readonly maxCookieBytes?: number
}

/** Options of `session()`. */
export interface SessionOptions extends SessionCookieOptions {
  /** Keeps the data: `memorySessions()`, `redisSessions()`, or your own. */
  readonly store: SessionStore
}

/** The minimum size of a secret: the size of an AES-256 key. */
const MIN_SECRET_BYTES = 32
/** The sentence that ends an error about secrets. */
export const CREATE_SECRET = 'Create one with: openssl rand -base64 32'
/** Maximum of both timeouts. RFC 6265bis §5.5: browsers shorten a longer lifetime to 400 days. */
const LONGEST_TIMEOUT_MS = 400 * 24 * 60 * 60 * 1000
/** The smallest cookie that fits an empty session. */
const MIN_COOKIE_BYTES = 128

/** Matches a token (RFC 9110 §5.6.2) that begins with the prefix. */
const PREFIXED_NAME = new RegExp(`^${HOST_PREFIX}[!#$%&'*+\\-.^_\`|~0-9A-Za-z]+$`)

const cookieName: OptionKind = {
  expected: `a cookie name that begins with ${HOST_PREFIX}`,
  accepts: (value) => typeof value === 'string' && PREFIXED_NAME.test(value),
  fix: (value) =>
    typeof value === 'string' ? `Browsers then accept the cookie only from this host over TLS.` : undefined,
}

const secrets: OptionKind = {
  expected: `a list of different secrets of at least ${MIN_SECRET_BYTES} bytes`,
  accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(isSecret) && areDifferent(value),
  isSecret: true,
  fix: CREATE_SECRET,
}

const COOKIE_KINDS: OptionKinds<SessionCookieOptions> = {
  name: cookieName,
  idleTimeoutMs: integer(1, LONGEST_TIMEOUT_MS),
  absoluteTimeoutMs: integer(1, LONGEST_TIMEOUT_MS),
  persistent: flag,
}

/** The kinds of all options of `sealedSession()`. */
export const SEALED_KINDS: OptionKinds<SealedSessionOptions> = {
  ...COOKIE_KINDS,
  secrets,
  maxCookieBytes: integer(MIN_COOKIE_BYTES, 1_048_576),
}

/** The kinds of all options of `session()`. */
export const SESSION_KINDS: OptionKinds<SessionOptions> = {
  ...COOKIE_KINDS,
  store: objectWith('a session store', 'read', 'create', 'replace', 'touch', 'delete'),
}

/** Option names from other libraries, and their replacements. */
export const MEANT: Readonly<Record<string, string>> = {
  secret: 'secrets',
  password: 'secrets',
  cookieName: 'name',
  maxAge: 'absoluteTimeoutMs',
  ttl: 'idleTimeoutMs',
  rolling: 'idleTimeoutMs',
}

/** The checked options of all sessions. */
export interface Settings extends Lifetime {
  readonly name: string
  readonly isPersistent: boolean
}

/** Fills in the default options. @throws {RangeError} if the idle timeout exceeds the absolute timeout */
export function settingsOf(api: string, options: SessionCookieOptions): Settings {
  const { name = '__Host-session', absoluteTimeoutMs = 43_200_000, persistent = false } = options
  const { idleTimeoutMs = Math.min(1_800_000, absoluteTimeoutMs) } = options
  if (idleTimeoutMs > absoluteTimeoutMs) {
    const expected = `at most absoluteTimeoutMs, ${absoluteTimeoutMs}`
    const fix = 'Raise absoluteTimeoutMs.'
    throw optionError({ api, name: 'idleTimeoutMs', expected, got: String(idleTimeoutMs), fix, isRange: true })
  }
  return { name, idleTimeoutMs, absoluteTimeoutMs, isPersistent: persistent }
}

/** Returns the lifetime of the cookie in seconds; `undefined` for a cookie that the browser deletes on exit. */
export function maxAgeOf({ isPersistent }: Settings, expiresAtMs: number, nowMs: number): number | undefined {
  return isPersistent ? Math.max(1, Math.ceil((expiresAtMs - nowMs) / 1000)) : undefined
}

function isSecret(value: unknown): boolean {
  return (typeof value === 'string' || value instanceof Uint8Array) && Buffer.from(value).length >= MIN_SECRET_BYTES
}

function areDifferent(values: readonly (string | Uint8Array)[]): boolean {
  return new Set(values.map((value) => Buffer.from(value).toString('latin1'))).size === values.length
}
