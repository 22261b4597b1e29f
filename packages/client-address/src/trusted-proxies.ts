import { BlockList, isIPv4 } from 'node:net'
import { parseAddress } from './ip-address.ts'

/** The fields in which proxies say whom a request comes from, in the order in which they are looked for. */
export const FORWARDING_HEADERS = ['x-forwarded-for', 'x-real-ip', 'forwarded'] as const

export type ForwardingHeader = (typeof FORWARDING_HEADERS)[number]

/** Proxies in these CIDR blocks, or this many hops, the peer being the first. */
export type TrustedProxies = readonly string[] | number

/**
 * Which proxies are believed: none, or those given; and the one field that they maintain. Without `header` the first of
 * `x-forwarded-for`, `x-real-ip` and `forwarded` that a request has is read: the proxies must strip the other two.
 */
export type TrustProxy =
  | false
  | TrustedProxies
  | {
      readonly proxies: TrustedProxies
      /** Nothing else is read, and a request that comes through a trusted proxy without it has no known address. */
      readonly header: ForwardingHeader
    }

/** What `compileTrust` made of a `TrustProxy`. */
export interface Trust {
  /** Whether the proxy at an address is believed; the peer is hop 1. */
  readonly isTrusted: (address: string | undefined, hop: number) => boolean
  /** The one field that is read, if one was named. */
  readonly header: ForwardingHeader | undefined
}

/**
 * @param owner Begins the messages of errors
 * @throws {TypeError | RangeError} if it is none of what `TrustProxy` says
 */
export function compileTrust(trust: TrustProxy, owner = 'clientAddress'): Trust {
  const name = `${owner}: trustProxy`
  if (trust === false) return { isTrusted: () => false, header: undefined }
  if (isProxies(trust)) return { isTrusted: compileProxies(trust, name), header: undefined }
  // Callers without types may give anything.
  if (typeof (trust as unknown) !== 'object' || (trust as unknown) === null) {
    throw new TypeError(
      `${name} is ${JSON.stringify(trust)}; it takes { proxies: ['10.0.0.0/8'], header: 'x-forwarded-for' }, ` +
        'or false, a list of CIDR blocks or a number of hops',
    )
  }
  const unknown = Object.keys(trust).find((key) => key !== 'proxies' && key !== 'header')
  if (unknown !== undefined) throw new TypeError(`${name} has no '${unknown}'; there are: proxies, header`)
  const { proxies, header } = trust
  if (!isProxies(proxies)) throw new TypeError(`${name}.proxies is not a list of CIDR blocks or a number of hops`)
  if (!FORWARDING_HEADERS.includes(header)) {
    throw new TypeError(`${name}.header is none of ${FORWARDING_HEADERS.join(', ')}`)
  }
  return { isTrusted: compileProxies(proxies, `${name}.proxies`), header }
}

function isProxies(value: unknown): value is TrustedProxies {
  return typeof value === 'number' || Array.isArray(value)
}

function compileProxies(proxies: TrustedProxies, name: string): Trust['isTrusted'] {
  if (typeof proxies === 'number') {
    if (!Number.isInteger(proxies) || proxies < 0) throw new RangeError(`${name} is no number of hops`)
    return (_, hop) => hop <= proxies
  }
  const blocks = new BlockList()
  for (const block of proxies as readonly unknown[]) addBlock(blocks, block, name)
  return (address) => address !== undefined && blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

function addBlock(blocks: BlockList, block: unknown, name: string): void {
  const [, network = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(String(block)) ?? []
  const address = parseAddress(network)
  // A mapped block would lose its first 96 bits along with its form.
  if (address === undefined || isIPv4(address) !== isIPv4(network)) throw notACidr(block, name)
  const isV4 = isIPv4(address)
  const bits = length === undefined ? (isV4 ? 32 : 128) : Number(length)
  if (bits > (isV4 ? 32 : 128)) throw notACidr(block, name)
  blocks.addSubnet(address, bits, isV4 ? 'ipv4' : 'ipv6')
}

function notACidr(block: unknown, name: string): TypeError {
  const [owner, option] = name.split(': ')
  return new TypeError(`${owner}: ${JSON.stringify(block)} in ${option} is no CIDR block such as '10.0.0.0/8'`)
}
