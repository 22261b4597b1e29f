import { checkOptions, flag, type OptionKind, type OptionKinds } from '@fw/options'
import { CspNonce } from './csp-nonce.ts'

/**
 * A source: an origin, a scheme such as `data:`, a keyword without quotes such as `self`, a hash such as `sha256-…`, or
 * `CspNonce`.
 */
export type CspSource = string | typeof CspNonce

/** Directives with a list of sources. */
const SOURCE_DIRECTIVES = [
  'default-src',
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'style-src',
  'style-src-elem',
  'style-src-attr',
  'img-src',
  'font-src',
  'connect-src',
  'media-src',
  'object-src',
  'frame-src',
  'child-src',
  'worker-src',
  'manifest-src',
  'base-uri',
  'form-action',
  'frame-ancestors',
] as const

/** The name of a directive with a list of sources. An empty list allows nothing, like `none`. */
export type SourceDirective = (typeof SOURCE_DIRECTIVES)[number]

/** The directives of a policy. Their names are the names in CSP Level 3. */
export type CspDirectives = { readonly [Name in SourceDirective]?: readonly CspSource[] } & OtherDirectives

/** Directives without a list of sources. */
export interface OtherDirectives {
  /** Names of Trusted Types policies, `none` and `allow-duplicates`. */
  readonly 'trusted-types'?: readonly string[]
  /** `['script']`: sinks such as `innerHTML` accept only trusted types. */
  readonly 'require-trusted-types-for'?: readonly string[]
  /** Permissions of a sandboxed page, such as `allow-scripts`; `[]` grants none. */
  readonly sandbox?: readonly string[]
  /** Loads `http:` URLs over `https:`. */
  readonly 'upgrade-insecure-requests'?: boolean
  /** The name of an endpoint in the option `reporting`. */
  readonly 'report-to'?: string
  /** URLs that receive reports from browsers without `report-to`. */
  readonly 'report-uri'?: readonly string[]
}

/** A checked policy, from `csp()`. */
export interface CspPolicy {
  /** Whether the policy contains `CspNonce`. */
  readonly usesNonce: boolean
  /** Returns the field value. Without `nonce`, the policy contains no nonce. */
  readonly format: (nonce?: string) => string
}

/** Keywords, which are quoted in a policy. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'self',
  'none',
  'unsafe-inline',
  'unsafe-eval',
  'unsafe-hashes',
  'wasm-unsafe-eval',
  'strict-dynamic',
  'report-sample',
  'inline-speculation-rules',
  'trusted-types-eval',
])
/** Keywords in directives without sources. Other words in these directives are not quoted. */
const OWN_KEYWORDS: Readonly<Record<keyof OtherDirectives, ReadonlySet<string>>> = {
  'trusted-types': new Set(['none', 'allow-duplicates']),
  'require-trusted-types-for': new Set(['script']),
  sandbox: new Set(),
  'upgrade-insecure-requests': new Set(),
  'report-to': new Set(),
  'report-uri': new Set(),
}
const HASH = /^sha(?:256|384|512)-[\w+/-]+={0,2}$/
const SOURCE = /^[!-~]+$/

const source: OptionKind = {
  expected: 'a source',
  accepts: (value) => value === CspNonce || (typeof value === 'string' && isSource(value)),
  fix: sourceFix,
}
const sources: OptionKind = {
  expected: 'a list of sources',
  accepts: isListWithoutOtherNone,
  item: source,
  fix: listFix,
}
const words: OptionKind = { expected: 'a list of words', accepts: isListWithoutOtherNone, item: source, fix: listFix }
const word: OptionKind = {
  expected: 'a word',
  accepts: (value) => typeof value === 'string' && isSource(value),
  fix: sourceFix,
}

const KINDS = {
  ...Object.fromEntries(SOURCE_DIRECTIVES.map((name) => [name, sources])),
  'trusted-types': words,
  'require-trusted-types-for': words,
  sandbox: words,
  'upgrade-insecure-requests': flag,
  'report-to': word,
  'report-uri': words,
} satisfies OptionKinds<OtherDirectives> as OptionKinds<CspDirectives>

/**
 * Checks the directives of a Content-Security-Policy.
 *
 * @throws {TypeError} if a directive does not exist, or a source contains a space, `;`, `,` or quotes
 * @see CSP Level 3 §2.3
 *
 * @example
 * csp({ 'script-src': ['self', CspNonce, 'strict-dynamic'], 'object-src': ['none'], 'base-uri': ['none'] })
 */
export function csp(directives: CspDirectives): CspPolicy {
  checkOptions('csp', directives, KINDS)
  const all = Object.entries(directives).filter(([, value]) => value !== undefined && value !== false)
  const usesNonce = all.some(([, value]) => Array.isArray(value) && value.includes(CspNonce))
  const format = (nonce?: string): string => all.map(([name, value]) => formatDirective(name, value, nonce)).join('; ')
  const withoutNonce = format()
  return { usesNonce, format: (nonce) => (nonce === undefined || !usesNonce ? withoutNonce : format(nonce)) }
}

function formatDirective(name: string, value: unknown, nonce: string | undefined): string {
  if (value === true) return name
  const own = Object.hasOwn(OWN_KEYWORDS, name) ? OWN_KEYWORDS[name as keyof OtherDirectives] : undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const texts = list.flatMap((each) => {
    if (each === CspNonce) return nonce === undefined ? [] : [`'nonce-${nonce}'`]
    const text = String(each)
    return (own === undefined ? KEYWORDS.has(text) || HASH.test(text) : own.has(text)) ? [`'${text}'`] : [text]
  })
  // An empty list of sources allows nothing, like 'none'. Only `sandbox` has a meaning without words.
  if (texts.length === 0) return name === 'sandbox' ? name : `${name} 'none'`
  return `${name} ${texts.join(' ')}`
}

function isSource(text: string): boolean {
  return SOURCE.test(text) && !/[;,'"]/.test(text) && !/^nonce-/i.test(text)
}

function sourceFix(value: unknown): string {
  if (typeof value !== 'string') return 'Write, for example, "self" or "https://cdn.example.org".'
  if (/^'?nonce-/i.test(value)) return 'Use CspNonce: a nonce must differ in every response.'
  if (/^'[^']+'$/.test(value)) return `Write "${value.slice(1, -1)}": csp() adds the quotes.`
  return 'Write one source for each item, without spaces, quotes, ";" and ",".'
}

function isListWithoutOtherNone(value: unknown): boolean {
  return Array.isArray(value) && (value.length < 2 || !value.includes('none'))
}

function listFix(value: unknown): string {
  return Array.isArray(value)
    ? 'Write "none" alone: browsers ignore it next to other sources.'
    : "Write a list, such as ['self']."
}
