/** The contents of a valid and complete PROXY header. */
export interface StatedHeader {
  readonly length: number
  /** The source as `address port`, with the address in the form of the URL standard; empty if none applies. */
  readonly source: string
}

const BYTE = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const V4 = `${BYTE}(?:\\.${BYTE}){3}`
const PORT = '(?:0|[1-9]\\d{0,4})'
const TCP4 = new RegExp(`^PROXY TCP4 (${V4}) (${V4}) (${PORT}) (${PORT})$`)
const TCP6 = new RegExp(`^PROXY TCP6 ([\\da-fA-F:.]+) ([\\da-fA-F:.]+) (${PORT}) (${PORT})$`)
const SIGNATURE = '\r\n\r\n\0\r\nQUIT\n'

/**
 * Reads a header with regular expressions and a `DataView`. Ignores speed and does not detect errors early.
 *
 * @returns `undefined` if the header is not valid or not complete
 */
export function readStated(bytes: string): StatedHeader | undefined {
  return bytes.startsWith('PROXY') ? readText(bytes) : readBinary(bytes)
}

function readText(bytes: string): StatedHeader | undefined {
  const end = bytes.slice(0, 107).indexOf('\r\n')
  if (end === -1) return undefined
  const line = bytes.slice(0, end)
  const length = end + 2
  if (/^PROXY UNKNOWN(?: [^\r\n]*)?$/.test(line)) return { length, source: '' }
  const v4 = TCP4.exec(line)
  const [, source = '', destination = '', from, to] = v4 ?? TCP6.exec(line) ?? []
  if (from === undefined || to === undefined || Number(from) > 65_535 || Number(to) > 65_535) return undefined
  if (v4 !== null) return { length, source: `${source} ${from}` }
  const address = hostOf(source)
  if (address === undefined || hostOf(destination) === undefined) return undefined
  return { length, source: `${address} ${from}` }
}

function hostOf(address: string): string | undefined {
  return URL.parse(`http://[${address}]/`)?.hostname.slice(1, -1)
}

function readBinary(text: string): StatedHeader | undefined {
  const bytes = Buffer.from(text, 'latin1')
  if (!text.startsWith(SIGNATURE) || bytes.length < 16) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const length = 16 + view.getUint16(14)
  if (length > bytes.length || length > 4096) return undefined
  const command = view.getUint8(12)
  const family = view.getUint8(13).toString(16).padStart(2, '0')
  if (command !== 0x20 && command !== 0x21) return undefined
  const isLocal = command === 0x20
  const blocks: Record<string, number> = { '0': 0, '1': 12, '2': 36, '3': 216 }
  if (!isLocal && !/^[0-3][0-2]$/.test(family)) return undefined
  const isIgnored = isLocal || family.includes('0')
  const tlvs = tlvsOf(bytes.subarray(0, length), 16 + (blocks[family[0] ?? ''] ?? 0))
  if (!isIgnored && !tlvs.isWhole) return undefined
  const checksums = tlvs.isWhole ? tlvs.checksums : []
  if (checksums.length > 1) return undefined
  const [at] = checksums
  if (at !== undefined) {
    if (view.getUint16(at + 1) !== 4) return undefined
    const zeroed = Buffer.from(bytes.subarray(0, length)).fill(0, at + 3, at + 7)
    if (slowCrc32c(zeroed) !== view.getUint32(at + 3)) return undefined
  }
  if (isIgnored || family[0] === '3') return { length, source: '' }
  if (family[0] === '1') return { length, source: `${[...bytes.subarray(16, 20)].join('.')} ${view.getUint16(24)}` }
  const groups = bytes.subarray(16, 32).toString('hex').match(/.{4}/g) ?? []
  return { length, source: `${hostOf(groups.join(':'))} ${view.getUint16(48)}` }
}

function tlvsOf(header: Buffer, start: number): { isWhole: boolean; checksums: number[] } {
  const checksums: number[] = []
  let at = start
  while (at + 3 <= header.length) {
    const end = at + 3 + header.readUInt16BE(at + 1)
    if (end > header.length) return { isWhole: false, checksums }
    if (header[at] === 3) checksums.push(at)
    at = end
  }
  return { isWhole: at === header.length, checksums }
}

/** Divides by the polynomial bit by bit. */
export function slowCrc32c(bytes: Uint8Array): number {
  let rest = 0xffffffffn
  for (const byte of bytes) {
    rest ^= BigInt(byte)
    for (let bit = 0; bit < 8; bit++) rest = rest % 2n === 1n ? (rest / 2n) ^ 0x82f63b78n : rest / 2n
  }
  return Number(rest ^ 0xffffffffn)
}
