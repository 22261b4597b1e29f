import { withCode } from '@fw/options'
import type { Binding } from './binding.ts'
import { StartupError } from '../options/startup-error.ts'

/**
 * Converts an error from opening a socket to a one-line error with the cause and the fix.
 *
 * @param what Text after the address, such as ' (UDP)'
 */
export function listenError(error: unknown, binding: Binding, what = ''): StartupError {
  if (error instanceof StartupError) return error
  const code = (error as NodeJS.ErrnoException | undefined)?.code ?? ''
  const advice = ADVICE[binding.kind][code] ?? (error instanceof Error ? error.message : code)
  return withCode(
    code === 'EADDRINUSE' ? 'FW_ADDRESS_IN_USE' : 'FW_LISTEN_FAILED',
    new StartupError(`Cannot listen on ${describe(binding)}${what}: ${advice}`, { cause: error }),
  )
}

function describe(binding: Binding): string {
  if (binding.kind === 'path') return binding.path
  if (binding.kind === 'fd') return describeFds(binding.streams)
  const { host, port } = binding
  return host === undefined ? `port ${port}` : `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Formats descriptors for messages. */
export function describeFds(fds: readonly number[]): string {
  return `${fds.length === 1 ? 'descriptor' : 'descriptors'} ${fds.join(', ')}`
}

const ADVICE: Readonly<Record<Binding['kind'], Readonly<Record<string, string>>>> = {
  port: {
    EADDRINUSE: 'it is in use. Stop the other process (ss -lptun shows it) or choose another port',
    EACCES: 'permission denied. Choose a port from 1024 up, or grant CAP_NET_BIND_SERVICE',
    EADDRNOTAVAIL: "this machine has no such address. Omit 'host' to use all addresses",
    ENOTFOUND: 'the host name is unknown. Set an IP address',
    EAFNOSUPPORT: "this machine has no such address family. Try host '0.0.0.0'",
    ENOTSUP: "this system cannot share a port. Omit 'reusePort'",
  },
  path: {
    EADDRINUSE:
      'it is in use. Stop the other process (ss -lpx shows it), or remove the file if there is no such process',
    // The system also reports EACCES for a missing directory.
    EACCES: 'its directory is missing, or this user cannot write to it. Create the directory, or choose another path',
    EPERM: 'its directory does not allow sockets. Choose another path',
    EROFS: 'its directory is on a read-only file system. Choose another path',
  },
  fd: {
    EEXIST: 'this process already uses it. Listen on each descriptor once',
    ERR_INVALID_FD_TYPE: 'udpFd is not a UDP socket. Pass one that is bound to a port, or omit it to open a new one',
  },
}
