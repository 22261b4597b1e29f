import { BlockList, isIPv4 } from 'node:net'
import {
  checkOptions,
  integer,
  listOf,
  oneOf,
  optionError,
  type OptionKind,
  type OptionKinds,
  withFix,
} from '@fw/options'
import { parseAddress } from './ip-address.ts'

/** The header fields that proxies use for the client's address. The first one present in a request is read. */
export const FORWARDING_HEADERS = ['x-forwarded-for', 'x-real-ip', 'forwarded'] as const

/** A header field that proxies use for the client's address. */
export type ForwardingHeader = (typeof FORWARDING_HEADERS)[number]

/** Trusted proxies: CIDR blocks, or a number of hops. The peer is hop 1. */
export type TrustedProxies = readonly string[] | number

/**
 * The trusted proxies, and the field that they maintain; false for none. Without `header`, the first of `x-forwarded-for`,
 * `x-real-ip` and `forwarded` is read. The proxies must then remove the other two from client requests.
 */
export type TrustProxy = false | TrustedProxies | NamedField

/** Trusted proxies with the field that they maintain. */
export interface NamedField {
  /** The trusted proxies. */
  readonly proxies: TrustedProxies
  /** The only field that is read. If it is missing, the client address of a request from a trusted proxy is unknown. */
  readonly header: ForwardingHeader
  /**
   * The parts of the origin that the proxies also set: in `proto` and `host` if `header` is `forwarded`, otherwise in
   * `x-forwarded-proto` and `x-forwarded-host`. List only parts that the proxies overwrite in every client request. Default
   * `[]`.
   */
  readonly origin?: readonly OriginPart[]
}

/** A part of the origin of a request: its scheme, or its host with the port. */
export type OriginPart = 'scheme' | 'host'

/** A compiled `TrustProxy`. */
export interface Trust {
  /** Reports whether the proxy at an address is trusted. The peer is hop 1. */
  readonly isTrusted: (address: string | undefined, hop: number) => boolean
  /**
   * Whether to trust a proxy that connects over a Unix socket, which has no address. The file mode of the socket restricts
   * access.
   */
  readonly trustsUnixSocket: boolean
  /** The only field that is read; `undefined` if none is named. */
  readonly header: ForwardingHeader | undefined
  /** The parts of the origin that the proxies set. */
  readonly origin: readonly OriginPart[]
}

const CIDR_FIX = `Write, for example, '10.0.0.0/8'.`
const FORMS =
  "Write { proxies: ['10.0.0.0/8'], header: 'x-forwarded-for' }, or false, a list of CIDR blocks or a number of hops."

const BLOCK = withFix({ expected: 'a CIDR block', accepts: (value) => parseBlock(value) !== undefined }, CIDR_FIX)
const HOPS = integer(0)
const PROXIES: OptionKind = {
  expected: 'a list of CIDR blocks or a number of hops',
  accepts: (value) => Array.isArray(value) || HOPS.accepts(value),
  isRightType: (value) => typeof value === 'number',
  fix: "Write a list such as ['10.0.0.0/8'], or an integer of at least 0.",
  item: BLOCK,
}
const HEADER = withFix(oneOf(...FORWARDING_HEADERS), 'Name the one field that the proxies maintain.')

const ORIGIN = withFix(
  listOf("a list of 'scheme' and 'host'", oneOf('scheme', 'host')),
  "Write, for example, ['scheme'].",
)

const TRUST: OptionKind = {
  ...PROXIES,
  expected: 'false, a list of CIDR blocks, a number of hops or an object with proxies and header',
  accepts: (value) => value === false || PROXIES.accepts(value) || (typeof value === 'object' && value !== null),
  fix: FORMS,
  nested: { proxies: PROXIES, header: HEADER, origin: ORIGIN } satisfies OptionKinds<NamedField>,
}

/**
 * Checks and compiles a `TrustProxy`.
 *
 * @param owner The function or class that has the option `trustProxy`; error messages begin with it
 * @throws {TypeError} if the value has the wrong type, lacks `proxies` or `header`, or a block is malformed
 * @throws {RangeError} if a number of hops is not an integer of at least 0
 */
export function compileTrust(trust: TrustProxy, owner = 'compileTrust'): Trust {
  requireOption(owner, 'trustProxy', trust, TRUST)
  checkOptions(owner, { trustProxy: trust }, { trustProxy: TRUST })
  if (trust === false) return { isTrusted: () => false, trustsUnixSocket: false, header: undefined, origin: [] }
  if (typeof trust === 'number' || !isNamedField(trust))
    return { ...compileProxies(trust), header: undefined, origin: [] }
  const { proxies, header, origin = [] } = trust
  requireOption(owner, 'trustProxy.proxies', proxies, PROXIES)
  requireOption(owner, 'trustProxy.header', header, HEADER)
  return { ...compileProxies(proxies), header, origin }
}

function isNamedField(trust: readonly string[] | NamedField): trust is NamedField {
  return !Array.isArray(trust)
}

/** @throws {TypeError} if an option is absent */
function requireOption(api: string, name: string, value: unknown, { expected, fix }: OptionKind): void {
  if (value !== undefined) return
  throw optionError({ api, name, expected, got: 'undefined', fix: typeof fix === 'string' ? fix : undefined })
}

function compileProxies(proxies: TrustedProxies): Omit<Trust, 'header' | 'origin'> {
  if (typeof proxies === 'number') return { isTrusted: (_, hop) => hop <= proxies, trustsUnixSocket: proxies > 0 }
  const blocks = new BlockList()
  for (const text of proxies) {
    const block = parseBlock(text)
    if (block !== undefined) blocks.addSubnet(block.address, block.bits, isIPv4(block.address) ? 'ipv4' : 'ipv6')
  }
  return {
    isTrusted: (address) => address !== undefined && blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6'),
    trustsUnixSocket: proxies.length > 0,
  }
}

/** Reports whether a value is a CIDR block, such as `10.0.0.0/8`, or an IP address. `compileTrust` accepts these. */
export function isCidrBlock(value: unknown): value is string {
  return typeof value === 'string' && parseBlock(value) !== undefined
}

/** @returns `undefined` if the text is not a CIDR block or an address */
function parseBlock(text: unknown): { readonly address: string; readonly bits: number } | undefined {
  const [, network = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(String(text)) ?? []
  const address = parseAddress(network)
  // Reject IPv4-mapped blocks: `parseAddress` removes their first 96 bits, but the prefix length still counts them.
  if (address === undefined || isIPv4(address) !== isIPv4(network)) return undefined
  const maxBits = isIPv4(address) ? 32 : 128
  const bits = length === undefined ? maxBits : Number(length)
  return bits > maxBits ? undefined : { address, bits }
}
