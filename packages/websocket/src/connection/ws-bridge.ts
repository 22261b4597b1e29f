import * as library from 'ws'
import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'

/** A `WebSocket` of the `ws` library on the server's side. */
export interface LibrarySocket extends EventEmitter {
  /** Bytes in the socket and in the library's own queue. */
  readonly bufferedAmount: number
  /** 1 while messages can be sent. */
  readonly readyState: number
  send(data: string | Uint8Array, options: { readonly binary: boolean }, done?: (error?: Error) => void): void
  ping(): void
  pong(data: Uint8Array): void
  close(code?: number, reason?: string): void
  terminate(): void
}

/** The negotiated compression, and the value of the response field that accepts it. */
export interface Compression {
  readonly extension: object
  readonly field: string
}

/** Settings of the library for one socket. */
export interface LibrarySettings {
  readonly maxMessageBytes: number
  readonly maxFragments: number
  readonly closeTimeoutMs: number
}

/** Members of the library that its types do not declare. `ws-bridge.test.ts` fails if one of them disappears. */
interface PrivateSocket extends LibrarySocket {
  _extensions: Readonly<Record<string, object>>
  setSocket(socket: Duplex, head: Uint8Array, options: object): void
}
interface Deflate {
  readonly params: Readonly<Record<string, unknown>>
  accept(offers: readonly object[]): object
}
interface Library {
  readonly WebSocket: new (address: null, protocols: undefined, options: object) => PrivateSocket
  readonly PerMessageDeflate: (new (options: object) => Deflate) & { readonly extensionName: string }
  readonly extension: {
    parse(field: string): Readonly<Record<string, readonly object[] | undefined>>
    format(extensions: object): string
  }
}

const { WebSocket, PerMessageDeflate, extension } = library as unknown as Library

/** Messages below this size are sent uncompressed, because compression hardly makes them smaller. */
const COMPRESSED_BYTES = 1024
/** Mean size of a read, in bytes, below which the library refuses to collect a frame. Each read costs about 200 bytes of memory. */
const MIN_READ_BYTES = 64
/** Reads that the library always collects for one frame. */
const MIN_READS = 1024

/**
 * Selects compression from `Sec-WebSocket-Extensions`. Both sides forget the previous messages after each one, so that an idle
 * socket does not hold a compression window.
 *
 * @returns `undefined` if the client does not offer compression, or only with parameters that RFC 7692 does not define
 * @throws {SyntaxError} if the field is malformed
 * @see RFC 7692 §7.1
 */
export function acceptCompression(field: string, maxMessageBytes: number): Compression | undefined {
  const { extensionName } = PerMessageDeflate
  const offers = parseExtensions(field)[extensionName]
  if (offers === undefined) return undefined
  const deflate = new PerMessageDeflate({
    isServer: true,
    maxPayload: maxMessageBytes,
    serverNoContextTakeover: true,
    clientNoContextTakeover: true,
    threshold: COMPRESSED_BYTES,
  })
  try {
    deflate.accept(offers)
  } catch {
    // RFC 7692 §7: decline an offer with unknown or invalid parameters. The connection continues without compression.
    return undefined
  }
  return { extension: deflate, field: extension.format({ [extensionName]: [deflate.params] }) }
}

/** Parses `Sec-WebSocket-Extensions`. @throws {SyntaxError} if the field is malformed */
export function parseExtensions(field: string): Readonly<Record<string, readonly object[] | undefined>> {
  return extension.parse(field)
}

/** Creates a socket of the library for a connection whose handshake is complete. Call `start` to receive events. */
export function createLibrarySocket(
  settings: LibrarySettings,
  compression: Compression | undefined,
): { readonly socket: LibrarySocket; readonly start: (duplex: Duplex) => void } {
  const { maxMessageBytes, maxFragments, closeTimeoutMs } = settings
  const socket = new WebSocket(null, undefined, { autoPong: false, closeTimeout: closeTimeoutMs })
  if (compression !== undefined) socket._extensions = { [PerMessageDeflate.extensionName]: compression.extension }
  const start = (duplex: Duplex): void => {
    socket.setSocket(duplex, Buffer.alloc(0), {
      allowSynchronousEvents: true,
      maxBufferedChunks: Math.max(MIN_READS, Math.ceil(maxMessageBytes / MIN_READ_BYTES)),
      maxFragments,
      maxPayload: maxMessageBytes,
      skipUTF8Validation: false,
    })
  }
  return { socket, start }
}

/** Returns the status code with which the library closes the connection after an error of its receiver. */
export function closeCodeOf(error: Error): number {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'WS_ERR_INVALID_UTF8' || code.startsWith('Z_')) return 1007
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || code === 'WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH') return 1009
  return code === 'WS_ERR_TOO_MANY_BUFFERED_PARTS' ? 1008 : 1002
}
