import { BlockList, isIPv4 } from 'node:net'
import { parseAddress } from './ip-address.ts'

/** Which proxies are believed: none, those in these CIDR blocks, or this many hops, the peer being the first. */
export type TrustProxy = false | readonly string[] | number

/** Whether the proxy at an address is believed; the peer is hop 1. */
export type IsTrusted = (address: string | undefined, hop: number) => boolean

/**
 * @param owner Begins the messages of errors
 * @throws {TypeError | RangeError} if it is none of what `TrustProxy` says
 */
export function compileTrust(trust: TrustProxy, owner = 'clientAddress'): IsTrusted {
  if (trust === false) return () => false
  if (typeof trust === 'number') {
    if (!Number.isInteger(trust) || trust < 0) throw new RangeError(`${owner}: trustProxy is no number of hops`)
    return (_, hop) => hop <= trust
  }
  if (!Array.isArray(trust)) throw new TypeError(`${owner}: trustProxy is not false, a list of CIDR blocks or a number`)
  const blocks = new BlockList()
  for (const block of trust as readonly unknown[]) addBlock(blocks, block, owner)
  return (address) => address !== undefined && blocks.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

function addBlock(blocks: BlockList, block: unknown, owner: string): void {
  const [, network = '', length] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(String(block)) ?? []
  const address = parseAddress(network)
  // A mapped block would lose its first 96 bits along with its form.
  if (address === undefined || isIPv4(address) !== isIPv4(network)) throw notACidr(block, owner)
  const isV4 = isIPv4(address)
  const bits = length === undefined ? (isV4 ? 32 : 128) : Number(length)
  if (bits > (isV4 ? 32 : 128)) throw notACidr(block, owner)
  blocks.addSubnet(address, bits, isV4 ? 'ipv4' : 'ipv6')
}

function notACidr(block: unknown, owner: string): TypeError {
  return new TypeError(`${owner}: ${JSON.stringify(block)} in trustProxy is no CIDR block such as '10.0.0.0/8'`)
}
