import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { mutate, Random, randomBytes, type FuzzTarget } from '@fw/testing/fuzz'
import { parseAddress } from '../src/ip-address.ts'
import { readProxyHeader } from '../src/index.ts'
import { readStated, slowCrc32c } from './proxy-protocol/reference.ts'

const ADDRESSES: readonly string[] = [
  '192.0.2.1',
  '255.255.255.255',
  '0.0.0.0',
  '192.0.2.01',
  '192.0.2.256',
  '192.0.2',
  '::1',
  '::',
  '2001:DB8::1',
  '::ffff:192.0.2.1',
  '1::192.0.2.1',
  '1:2:3:4:5:6:7::',
  'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  '1::2::3',
  'fe80::1%eth0',
  '[::1]',
]
const PORTS: readonly string[] = ['0', '1', '443', '65535', '65536', '00', '080', '+1', '-1', '1e3', '']
const FAMILIES: readonly string[] = ['TCP4', 'TCP4', 'TCP6', 'TCP6', 'UNKNOWN', 'UDP4', 'tcp4', '']
const PIECES: readonly string[] = [
  ' ',
  '\r',
  '\n',
  '\r\n',
  '\0',
  ':',
  '.',
  '0',
  'f',
  'PROXY ',
  'UNKNOWN',
  '\x03\0\x04',
  '\xff',
]
const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n'
const COMMANDS: readonly number[] = [0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x20, 0x20, 0x20, 0x22, 0x11]
const PROTOCOLS: readonly number[] = [
  0x11, 0x11, 0x11, 0x11, 0x12, 0x21, 0x21, 0x21, 0x21, 0x22, 0x31, 0x32, 0x00, 0x01, 0x02, 0x10, 0x20, 0x30, 0x13,
  0x41,
]
const BLOCK_BYTES: readonly number[] = [0, 12, 36, 216]
const REQUESTS: readonly string[] = [
  '',
  '',
  'GET / HTTP/1.1\r\n\r\n',
  '\x16\x03\x01',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
]

const target: FuzzTarget<string> = {
  parser: 'PROXY protocol headers, compared with a reference',
  generate(random) {
    if (random.chance(0.02)) return randomBytes(random, 300)
    const header = random.chance(0.5) ? textHeader(random) : binaryHeader(random)
    const changed = random.chance(0.3) ? mutate(header, random, PIECES) : header
    return changed + random.pick(REQUESTS)
  },
  check(input) {
    const bytes = Buffer.from(input, 'latin1')
    const header = readProxyHeader(bytes)
    const stated = readStated(input)
    assert.equal(header.kind === 'complete', stated !== undefined, 'Only one of the two parsers reads a header')
    if (header.kind === 'complete') {
      assert.equal(header.length, stated?.length)
      const { source } = header
      const [address = '', port] = stated?.source.split(' ') ?? []
      assert.equal(source === undefined, address === '')
      if (source !== undefined) {
        assert.notEqual(isIP(source.address), 0, 'The source is not an IP address')
        assert.equal(source.address, parseAddress(address), 'The source is not in its normal form')
        assert.equal(source.port, Number(port))
      }
    }
    checkPrefixes(bytes, header)
  },
}
export default target

function textHeader(random: Random): string {
  const family = random.pick(FAMILIES)
  if (family === 'UNKNOWN' && random.chance(0.5)) return `PROXY UNKNOWN${randomBytes(random, 110)}\r\n`
  // Most parts are valid, so most invalid lines contain only one error.
  const isFit = (text: string): boolean => isIP(text) === (family === 'TCP4' ? 4 : 6) && !text.includes('%')
  const address = (): string => random.pick(random.chance(0.95) ? ADDRESSES.filter(isFit) : ADDRESSES)
  const port = (): string => random.pick(random.chance(0.95) ? PORTS.slice(0, 4) : PORTS)
  return `PROXY ${family} ${address()} ${address()} ${port()} ${port()}\r\n`
}

function binaryHeader(random: Random): string {
  const protocol = random.pick(PROTOCOLS)
  const addressBytes = BLOCK_BYTES[protocol >> 4] ?? 0
  const addresses = Array.from({ length: addressBytes }, () => String.fromCharCode(random.pick([0, 0, 1, 192, 255])))
  const tlvs = random.list(0.6, () =>
    tlv(String.fromCharCode(random.below(256)), randomBytes(random, random.pick([9, 300]))),
  )
  const hasChecksum = random.chance(0.5)
  if (hasChecksum) tlvs.splice(random.below(tlvs.length + 1), 0, tlv('\x03', '\0\0\0\0'))
  // Exceed the limit of 4,096 bytes, or stay just below it.
  if (random.chance(0.05)) tlvs.unshift(tlv('\x04', '\0'.repeat(random.pick([3800, 4000, 4077, 4078, 60_000]))))
  const block = addresses.join('') + tlvs.join('')
  const header = SIGNATURE + String.fromCharCode(random.pick(COMMANDS), protocol) + uint16(block.length) + block
  const at = header.lastIndexOf('\x03\0\x04\0\0\0\0')
  if (!hasChecksum || at === -1) return header
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(slowCrc32c(Buffer.from(header, 'latin1')))
  return header.slice(0, at + 3) + checksum.toString('latin1') + header.slice(at + 7)
}

function tlv(type: string, value: string): string {
  return type + uint16(value.length) + value
}

function uint16(value: number): string {
  return String.fromCharCode(value >> 8, value & 0xff)
}

/** Checks that further bytes only complete a header, so no split of the input changes the result. */
function checkPrefixes(bytes: Buffer, header: ReturnType<typeof readProxyHeader>): void {
  const random = Random.of(bytes.toString('latin1'))
  const lengths =
    bytes.length < 100 ? bytes.map((_, at) => at) : Array.from({ length: 30 }, () => random.below(bytes.length))
  for (const length of lengths) {
    const part = readProxyHeader(bytes.subarray(0, length))
    if (header.kind === 'complete' && length >= header.length) assert.deepEqual(part, header)
    else if (header.kind === 'invalid' && part.kind === 'invalid') assert.equal(typeof part.reason, 'string')
    else assert.equal(part.kind, 'incomplete', `The first ${length} bytes give a different result`)
  }
}
