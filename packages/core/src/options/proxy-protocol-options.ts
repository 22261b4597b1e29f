import { isCidrBlock } from '@fw/client-address'
import { integer, optionError, type OptionKind, options as optionsOf, showValue, withFix } from '@fw/options'
import { MAX_TIMER_MS } from './timer.ts'

/** The proxies that start each connection with a PROXY header, and the limits of that header. */
export interface ProxyProtocolOptions {
  /**
   * The addresses of the proxies, as CIDR blocks; `'unix'` stands for every peer of a Unix socket. Their connections must start
   * with a PROXY header. The connections of all other peers are served without one.
   */
  readonly from: readonly string[]
  /**
   * Limits the milliseconds from accepting a connection to the end of its header. A slower connection is closed.
   * Default 5,000: the specification recommends at least 3 seconds, so that a lost packet can be sent again. 0
   * disables the limit.
   */
  readonly timeoutMs?: number
  /**
   * Limits a version 2 header, in bytes. A connection with a larger one is closed. Default 4,096, as in nginx; raise it if the
   * proxy adds client certificates. Version 1 has at most 107 bytes.
   */
  readonly maxHeaderBytes?: number
}

/** Entry of `from` for the peers of a Unix socket, which have no address. */
export const UNIX_PEERS = 'unix'

/** Bytes of the largest header without optional data: two paths of Unix sockets. */
const MIN_HEADER_BYTES = 232
/** Bytes of the largest header that its length field allows. */
const MAX_HEADER_BYTES = 65_551

const FIX = `Write the addresses of the proxies, for example ['10.0.0.0/8'].`

const FROM: OptionKind = {
  expected: 'a list with at least one CIDR block or "unix"',
  accepts: (value) => Array.isArray(value) && value.length > 0,
  fix: FIX,
  item: withFix(
    { expected: 'a CIDR block or "unix"', accepts: (value) => value === UNIX_PEERS || isCidrBlock(value) },
    `Write, for example, '10.0.0.0/8'.`,
  ),
}

export const PROXY_PROTOCOL: OptionKind = withFix(
  optionsOf<ProxyProtocolOptions>({
    from: FROM,
    timeoutMs: integer(0, MAX_TIMER_MS),
    maxHeaderBytes: integer(MIN_HEADER_BYTES, MAX_HEADER_BYTES),
  }),
  `Write { from: ['10.0.0.0/8'] } with the addresses of the proxies.`,
)

/**
 * Checks that `from` names a peer that can connect. `PROXY_PROTOCOL` checks the values.
 *
 * @param place The option that names the socket
 * @throws {TypeError} if `from` is absent, or fits no peer of a port or a Unix socket
 */
export function checkProxyProtocol({ from }: ProxyProtocolOptions, place: 'port' | 'path' | 'fd' | 'systemd'): void {
  const refuse = (expected: string, fix: string): never => {
    throw optionError({ api: 'listen', name: 'proxyProtocol.from', expected, got: showValue(from), fix })
  }
  // Programs without type checks can omit it.
  if ((from as unknown) === undefined) refuse(FROM.expected, FIX)
  const hasUnix = from.includes(UNIX_PEERS)
  if (place === 'path' && !hasUnix)
    refuse('a list with "unix" next to "path"', 'Peers of a Unix socket have no address.')
  if (place === 'port' && from.every((entry) => entry === UNIX_PEERS)) {
    refuse('a list with a CIDR block next to "port"', FIX)
  }
}
