import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { mutate, randomBytes, type FuzzTarget, type Random } from '@fw/testing/fuzz'
import proxyAddr from 'proxy-addr'
import { believedAddress, claimedAddress, compileTrust } from '../src/index.ts'
import { firstForwardedFor, forwardedForFromLast } from '../src/forwarded.ts'
import { parseAddress } from '../src/ip-address.ts'
import { readForwarded } from './forwarded/reference.ts'

/** The request fields that identify the client, and the peer's address. */
interface Input {
  readonly forwardedFor: string | null
  readonly realIp: string | null
  readonly forwarded: string | null
  readonly peer: string
}

const ADDRESSES: readonly string[] = [
  '192.0.2.1',
  '10.0.0.1',
  '10.0.0.255',
  '192.0.2.1:80',
  '2001:db8::1',
  '[2001:db8::1]',
  '[2001:DB8:0::1]:443',
  '::ffff:10.0.0.1',
  'fe80::1%eth0',
  'unknown',
  '_hidden',
  '010.0.0.1',
  '1.2.3',
  '0x7f.1',
  '[::1',
  '::1]',
  '',
]
const PARAMETERS: readonly string[] = ['for', 'For', 'by', 'proto', 'host', 'f', 'fo r', '', '__proto__', 'constructor']
const PIECES: readonly string[] = [',', ';', '=', '"', '\\', '\\"', ' ', '\t', ':', '[', ']', '%', '.', 'for=', '\xff']
const PEERS: readonly string[] = ['10.0.0.2', '192.0.2.9', '::ffff:10.0.0.3', '2001:db8::2', 'fe80::2%eth0']
const TRUST = compileTrust(['10.0.0.0/8', '2001:db8::/32'])
const trustsAsProxyAddr = proxyAddr.compile(['10.0.0.0/8', '2001:db8::/32'])

const target: FuzzTarget<Input> = {
  parser: 'x-forwarded-for, x-real-ip and forwarded (RFC 7239), compared with proxy-addr',
  generate: (random) => ({
    forwardedFor: random.chance(0.6)
      ? spoil(
          list(random, () => random.pick(ADDRESSES)),
          random,
        )
      : null,
    realIp: random.chance(0.3) ? spoil(random.pick(ADDRESSES), random) : null,
    forwarded: random.chance(0.6)
      ? spoil(
          list(random, () => element(random)),
          random,
        )
      : null,
    peer: random.pick(PEERS),
  }),
  check(input) {
    checkAddresses(input)
    if (input.forwarded !== null) checkForwarded(input.forwarded)
    if (input.forwardedFor !== null) checkWithProxyAddr(input.forwardedFor, input.peer)
  },
}
export default target

function list(random: Random, make: () => string): string {
  const elements = [make(), ...random.list(0.6, make)]
  return elements.join(random.pick([', ', ',', ' ,\t', ',,']))
}

function element(random: Random): string {
  const pair = (): string => {
    const address = random.pick(ADDRESSES)
    const value = random.chance(0.5) ? `"${address.replaceAll(':', random.pick([':', '\\:']))}"` : address
    return `${random.pick(PARAMETERS)}=${value}`
  }
  return [pair(), ...random.list(0.3, pair)].join(random.pick([';', '; ', ' ;']))
}

function spoil(text: string, random: Random): string {
  if (random.chance(0.01)) return random.pick(PIECES).repeat(random.below(16_000)) + text
  if (random.chance(0.02)) return randomBytes(random, 40)
  return random.chance(0.3) ? mutate(text, random, PIECES) : text
}

/** Checks that the result is an IP address in normal form, and that the fields are read in order. */
function checkAddresses({ forwardedFor, realIp, forwarded, peer }: Input): void {
  const fields: Record<string, string | null> = { 'x-forwarded-for': forwardedFor, 'x-real-ip': realIp, forwarded }
  const headers = { get: (name: string) => fields[name] ?? null }
  const claimed = claimedAddress(headers, peer)
  const believed = believedAddress(headers, peer, TRUST)
  for (const address of [claimed, believed]) {
    assert.notEqual(isIP(address ?? ''), 0, 'An address is not an IP address')
    assert.equal(parseAddress(address ?? ''), address, 'An address is not in its normal form')
  }
  const ownPeer = parseAddress(peer)
  if (!TRUST.isTrusted(ownPeer, 1)) assert.equal(believed, ownPeer, 'The address of an untrusted peer is used')
  assert.equal(believedAddress(headers, peer, compileTrust(false)), ownPeer)
  const expected = [forwardedFor?.split(',')[0], realIp, forwarded === null ? null : firstForwardedFor(forwarded)]
    .map((entry) => parseAddress((entry ?? '').trim()))
    .find((address) => address !== undefined)
  assert.equal(claimed, expected ?? ownPeer)
}

/**
 * Checks that a well-formed field is parsed according to the RFC grammar, and that the last elements do not depend on earlier
 * elements.
 */
function checkForwarded(field: string): void {
  const nodes = [...forwardedForFromLast(field)]
  const expected = readForwarded(field)
  if (expected !== undefined) {
    assert.deepEqual(nodes, expected.map((each) => (each.length === 1 ? each[0] : '')).toReversed())
    assert.equal(firstForwardedFor(field), expected[0]?.at(-1) ?? '')
  }
  assert.deepEqual([...forwardedForFromLast(`${field}, for=192.0.2.60`)].slice(0, 1), ['192.0.2.60'])
  assert.ok(nodes.length <= field.split(',').length, 'The field has more elements than its commas separate')
}

/** Checks that proxy-addr, which Express uses, returns the same address for a list of plain addresses. */
function checkWithProxyAddr(field: string, peer: string): void {
  const entries = field.split(',').map((entry) => entry.trim())
  if (entries.some((entry) => isIP(entry) === 0 || entry.includes('%')) || peer.includes('%')) return
  // proxy-addr accepts an IPv4 address at the end of an IPv6 one (RFC 4291 §2.2) only after ::ffff:.
  if (entries.some((entry) => entry.includes(':') && entry.includes('.') && !/^::ffff:[\d.]+$/i.test(entry))) return
  // proxy-addr does not remove tabs around an entry.
  const request = { headers: { 'x-forwarded-for': entries.join(', ') }, socket: { remoteAddress: peer } }
  const expected = proxyAddr(request as never, trustsAsProxyAddr)
  const headers = { get: (name: string) => (name === 'x-forwarded-for' ? field : null) }
  assert.equal(believedAddress(headers, peer, TRUST), parseAddress(expected))
}
