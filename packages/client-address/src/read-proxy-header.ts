import { invalid, type ProxyHeader } from './proxy-header.ts'
import { readTextHeader } from './proxy-header-v1.ts'
import { readBinaryHeader } from './proxy-header-v2.ts'

/** Default maximum size of a version 2 header, in bytes. nginx has the same limit. */
const MAX_HEADER_BYTES = 4096

/** The first byte of a version 1 header: `P`. */
const TEXT_START = 0x50
/** The first byte of a version 2 header: CR. */
const BINARY_START = 0x0d

/**
 * Reads the PROXY protocol header, version 1 or 2, at the start of a connection.
 *
 * The result depends only on the bytes so far: call it again with all bytes when more have arrived.
 *
 * @param bytes The first bytes of the connection. Bytes after the header are not read
 * @param maxBytes Maximum size of a version 2 header. Version 1 has a fixed maximum of 107 bytes. Default 4,096
 * @see https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt
 *
 * @example
 * readProxyHeader(Buffer.from('PROXY TCP4 192.0.2.1 192.0.2.2 56324 443\r\nGET /'))
 * // { kind: 'complete', length: 42, source: { address: '192.0.2.1', port: 56324 } }
 */
export function readProxyHeader(bytes: Uint8Array, maxBytes: number = MAX_HEADER_BYTES): ProxyHeader {
  const [first] = bytes
  if (first === undefined) return { kind: 'incomplete' }
  if (first === TEXT_START) return readTextHeader(bytes)
  if (first === BINARY_START) return readBinaryHeader(bytes, maxBytes)
  return invalid('its first bytes are not a PROXY header')
}
