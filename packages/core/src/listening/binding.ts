import type { ListenOptions } from '../options/listen-options.ts'
import { systemdSockets } from './systemd-sockets.ts'

/** Socket or address to which a listener is bound. */
export type Binding =
  | { readonly kind: 'port'; readonly port: number; readonly host: string | undefined; readonly reusePort: boolean }
  | { readonly kind: 'path'; readonly path: string }
  /** Open sockets. One of `streams` accepts connections. */
  | { readonly kind: 'fd'; readonly streams: readonly number[]; readonly udp: number | undefined }

/**
 * Returns the binding that the `listen` options describe.
 *
 * @throws {StartupError} if systemd passed no socket with that name
 */
export function bindingOf(options: ListenOptions): Binding {
  const { path, fd, udpFd, systemd } = options
  if (path !== undefined) return { kind: 'path', path }
  if (fd !== undefined) return { kind: 'fd', streams: [fd], udp: udpFd }
  if (systemd === undefined) {
    const { port = 0, host, reusePort = false } = options
    return { kind: 'port', port, host, reusePort }
  }
  const name = systemd === true ? undefined : systemd
  return { kind: 'fd', streams: systemdSockets(process.env, process.pid, name), udp: udpFd }
}
